import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readMonthSearch } from '../nominations/filters.ts';
import { readContractSearch, readNominationFilters } from '../references/filters.ts';
import { parseSearch, stringifySearch } from './search-parameters.ts';

const read = (search: string) => readNominationFilters(parseSearch(search));

test('filters survive the conversion to the address and back', () => {
  const filters = read(
    '?day=2026-10-25&status=partial_match&eic=11XNORDWIND----J&tso=DE_TENNET&direction=out',
  );
  assert.deepEqual(filters, {
    day: '2026-10-25',
    status: 'partial_match',
    eic: '11XNORDWIND----J',
    tso: 'DE_TENNET',
    direction: 'out',
  });
  assert.deepEqual(read(stringifySearch(filters)), filters);
  assert.equal(stringifySearch({ eic: '11X A&B', status: undefined }), '?eic=11X+A%26B');
  assert.equal(stringifySearch({}), '');
});

test('invalid filter values are dropped instead of sent to the server', () => {
  assert.deepEqual(read('?day=2026-02-30&status=done&tso=AMPRION&eic=%20&unknown=1'), {});
  assert.deepEqual(readMonthSearch(parseSearch('?month=2026-13')), {});
});

test('slots are whole numbers from 1 to 100', () => {
  const slot = (text: string) => readContractSearch(parseSearch(`?slot=${text}`)).slot;
  assert.equal(slot('61'), 61);
  assert.equal(slot('100'), 100);
  for (const text of ['0', '101', '1.5', '-1', '1e1', 'x', '']) assert.equal(slot(text), undefined, text);
});
