import { test } from 'node:test';
import { brpEndpoints, type DeliveryDayCalendar, portalEndpoints, type SessionState } from '@saldo/api';
import { find, hasParameter, press, problem, show } from '../../test/components.ts';

const { response: session } = portalEndpoints.getSession.example as { response: SessionState };
const { response: calendar } = brpEndpoints.getDeliveryDay.example as { response: DeliveryDayCalendar };

/** 14 January 2026 in Berlin. The day-ahead gate of the 15th closes at 14:30, its wait phase ends at 16:00. */
const GATES = [
  { phase: 'day_ahead', closes_at: '2026-01-14T13:30:00Z', open: true },
  { phase: 'wait', closes_at: '2026-01-14T15:00:00Z', open: true },
];

const at = (role: 'brp' | 'operator', server_time: string) => {
  const user = { ...session.user, role, permissions: 'admin', brp: role === 'brp' ? session.user.brp : null };
  const days = role === 'brp' ? '/v1/delivery-days' : '/operator/v1/delivery-days';
  return {
    role,
    answers: {
      'GET /portal/v1/session': { ...session, user, server_time },
      [`GET ${days}/2026-01-15`]: { ...calendar, gates: GATES },
    },
  };
};
const showsDay = (day: string) => find('main header p', new RegExp(day));

for (const [role, list] of [
  ['brp', '/nominations'],
  ['operator', '/operator/nominations'],
] as const) {
  for (const [time, opens, why] of [
    ['2026-01-14T07:45:00Z', '15 January', 'before the gate: tomorrow'],
    ['2026-01-14T14:59:00Z', '15 January', 'in the wait phase: tomorrow, which the TSOs are answering'],
    ['2026-01-14T15:00:00Z', '14 January', 'after the wait phase: today, whose quarter-hours close first'],
  ] as const)
    test(`nominations open by the platform's clock, ${why}: ${role}`, () =>
      show(list, at(role, time), () => showsDay(opens)));

  test(`a day in the URL wins, and is kept when the filters are cleared: ${role}`, () =>
    show(`${list}?day=2026-01-10&tso=DE_TENNET`, at(role, '2026-01-14T07:45:00Z'), async ({ requests }) => {
      await showsDay('10 January');
      await press('button', 'Clear filters');
      await hasParameter('tso', null);
      await showsDay('10 January');
      const asked = requests.filter(({ url }) => url.pathname.endsWith('/delivery-days/2026-01-15'));
      if (asked.length > 0) throw new Error('the gates of tomorrow are not needed');
    }));
}

test('without the gates the list opens on today', () => {
  const { role, answers } = at('brp', '2026-01-14T07:45:00Z');
  const failing = { ...answers, 'GET /v1/delivery-days/2026-01-15': () => problem(500, 'internal_error') };
  return show('/nominations', { role, answers: failing }, () => showsDay('14 January'));
});
