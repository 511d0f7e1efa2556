import { lookAtPagesOf } from './accessibility.ts';

lookAtPagesOf('anonymous', 'account', 'brp', 'operator');
