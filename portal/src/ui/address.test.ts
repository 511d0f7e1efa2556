import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../../server/test/until.ts';
import { fill, find, hasParameter, press, show } from '../../test/components.ts';

const valueOf = async (label: string) => ((await find('main input', label)) as HTMLInputElement).value;

test('invalid and unknown parameters are removed from the URL', () =>
  show('/contracts?status=lost&type=ppa&sort=external_id&page=2', {}, async ({ requests }) => {
    await eventually(async () => assert.equal(location.search, '?type=ppa'));
    await eventually(async () =>
      assert.ok(
        requests.some(
          ({ url }) => `${url.pathname}${url.search}` === '/portal/v1/contracts?type=ppa&limit=50',
        ),
      ),
    );
  }));

test('filters are in the URL, and clearing them keeps the order of the list', () =>
  show('/operator/customers?sort=-name', { role: 'operator' }, async ({ requests }) => {
    await fill('main select', 'Status', 'pending');
    await hasParameter('status', 'pending');
    await eventually(async () =>
      assert.equal(requests.at(-1)?.url.search, '?status=pending&sort=-name&limit=50'),
    );
    await press('main button', 'Clear filters');
    await hasParameter('status', null);
    await hasParameter('sort', '-name');
  }));

test('the days of the audit trail are filters of German days', () =>
  show('/operator/audit?from=2026-01-12', { role: 'operator' }, async ({ requests }) => {
    assert.equal(await valueOf('From day'), '12/01/2026');
    await fill('main input', 'To day', '13/01/2026');
    await hasParameter('to', '2026-01-13');
    await eventually(async () => {
      const { searchParams } = requests.at(-1)?.url ?? new URL('http://saldo.test');
      assert.equal(searchParams.get('since'), '2026-01-11T23:00:00Z');
      assert.equal(searchParams.get('until'), '2026-01-13T23:00:00Z');
    });
  }));

test('dates have the format of the page’s language, and accept either', () =>
  show('/nominations?day=2026-10-25', { language: 'de' }, async () => {
    const day = 'Liefertag';
    assert.equal(await valueOf(day), '25.10.2026');
    await fill('main input', day, '26.10.2026');
    await hasParameter('day', '2026-10-26');
    await fill('main input', day, '2026-10-27');
    await hasParameter('day', '2026-10-27');
    await press('main button', 'Nächster Tag');
    await hasParameter('day', '2026-10-28');
    await eventually(async () => assert.equal(await valueOf(day), '28.10.2026'));
    await fill('main input', day, '30.02.2027');
    (await find('main input', day)).dispatchEvent(new FocusEvent('focusout', { bubbles: true }));
    await eventually(async () =>
      assert.equal((await find('main input', day)).getAttribute('aria-invalid'), 'true'),
    );
    await hasParameter('day', '2026-10-28');
  }));
