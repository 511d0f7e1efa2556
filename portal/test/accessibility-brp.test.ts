import { lookAtPagesOf, openPages } from './accessibility.ts';

lookAtPagesOf(await openPages(), 'brp');
