import { test } from 'node:test';
import { lookAtPagesOf, lookForForgottenPages, openPages } from './accessibility.ts';

const pages = await openPages();
test('every page of the router is checked', () => lookForForgottenPages(pages));
lookAtPagesOf(pages, 'anonymous', 'second factor', 'set-up', 'account');
