import { lookAtPagesOf } from './accessibility.ts';

lookAtPagesOf('nobody', 'account', 'brp');
