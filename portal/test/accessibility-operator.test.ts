import { lookAtPagesOf } from './accessibility.ts';

lookAtPagesOf('operator');
