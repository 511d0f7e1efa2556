import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brpEndpoints, portalEndpoints, type SessionState } from '@saldo/api';
import { eventually } from '../../../server/test/until.ts';
import { fill, find, findText, hasParameter, listOf, press, show } from '../../test/components.ts';
import {
  isSameView,
  MAX_VIEWS,
  type SavedView,
  viewedFilters,
  withoutView,
  withView,
} from './saved-views.ts';

const view = (name: string, status = 'pending', path = '/contracts'): SavedView => ({
  name,
  path,
  search: { status },
});

test('a view has the filters of the URL: no selection, and no day where the list is always about one', () => {
  const url = { tso: 'DE_TENNET', day: '2026-01-15', slot: 4, sort: '-energy', eic: undefined };
  assert.deepEqual(viewedFilters(url, true), { sort: '-energy', tso: 'DE_TENNET' });
  assert.deepEqual(viewedFilters(url, false), { day: '2026-01-15', sort: '-energy', tso: 'DE_TENNET' });
  assert.ok(isSameView(viewedFilters({ b: 1, a: 2 }, false), viewedFilters({ a: '2', b: '1' }, false)));
});

test('a name is unique in its list: saving replaces, renaming keeps the place', () => {
  const views = [view('A'), view('B'), view('A', 'pending', '/customers')];
  assert.deepEqual(withView(views, view('A', 'active')), [views[1], views[2], view('A', 'active')]);
  assert.deepEqual(withView(views, view('C'), views[0]), [view('C'), views[1], views[2]]);
  assert.deepEqual(withView(views, view('B'), views[0]), [view('B'), views[2]]);
  assert.deepEqual(withoutView(views, view('A')), [views[1], views[2]]);
});

const { response: session } = portalEndpoints.getSession.example as { response: SessionState };
const KEY = `saldo.views.${session.user.id}`;
const stored = (): SavedView[] => JSON.parse(localStorage.getItem(KEY) ?? '[]') as SavedView[];

test('filters are saved, applied, renamed, found by the search and removed', () =>
  show('/contracts?status=in_progress&type=ppa', {}, async () => {
    await press('main button', 'Save view…');
    await fill('dialog input', 'Name', ' Active PPAs ');
    await press('dialog button', 'Save');
    await find('main button', 'Edit view…');
    assert.deepEqual(stored(), [
      { name: 'Active PPAs', path: '/contracts', search: { status: 'in_progress', type: 'ppa' } },
    ]);
    await press('main button', 'Clear filters');
    await hasParameter('status', null);
    await fill('main select', 'Saved view', 'Active PPAs');
    await hasParameter('status', 'in_progress');
    await hasParameter('type', 'ppa');
    await press('main button', 'Edit view…');
    await fill('dialog input', 'Name', 'Running');
    await press('dialog button', 'Save');
    await find('main option', 'Running');
    await press('main button', 'Clear filters');
    await hasParameter('status', null);
    await press('button', /^Search/);
    await find('[role=option]', 'RunningContracts');
    await fill('dialog input', 'Search', 'runn');
    await press('[role=option][aria-selected=true]', 'RunningContracts');
    await hasParameter('type', 'ppa');
    await press('main button', 'Edit view…');
    await press('dialog button', 'Remove');
    await find('main button', 'Save view…');
    assert.deepEqual(stored(), []);
  }));

test('a view of nominations is applied to the day that is shown', () => {
  const answers = { 'GET /v1/nominations': listOf(brpEndpoints.listNominations, 'nominations', [{}]) };
  return show('/nominations?day=2026-01-15&tso=DE_TENNET', { answers }, async () => {
    await press('main button', 'Save view…');
    await fill('dialog input', 'Name', 'TenneT');
    await press('dialog button', 'Save');
    await press('main button', 'Clear filters');
    await press('main button', 'Next day');
    await hasParameter('day', '2026-01-16');
    await fill('main select', 'Saved view', 'TenneT');
    await hasParameter('tso', 'DE_TENNET');
    await hasParameter('day', '2026-01-16');
  });
});

test('the number of views is bounded', () =>
  show('/contracts?status=in_progress', { language: 'de' }, async () => {
    const views = Array.from({ length: MAX_VIEWS }, (_, at) => view(`V${at}`));
    localStorage.setItem(KEY, JSON.stringify(views));
    window.dispatchEvent(new window.Event('storage'));
    await press('main button', 'Ansicht speichern…');
    await fill('dialog input', 'Name', 'Eine mehr');
    await findText('Bitte zuerst eine entfernen.');
    const button = (await find('dialog button', 'Speichern')) as HTMLButtonElement;
    assert.ok(button.disabled);
    await fill('dialog input', 'Name', 'V1');
    await findText('Ersetzt die Ansicht dieses Namens.');
    await eventually(async () => assert.ok(!button.disabled));
  }));
