import Type, { type Static } from 'typebox';
import { Choice, DateTime, Nullable, SlotNumber } from './common.ts';
import { endpoint, endpoints } from './endpoint.ts';

export const GATE_PHASES = ['day_ahead', 'wait', 'intraday', 'day_after'] as const;

export const DeliveryDayCalendar = Type.Object(
  {
    date: Type.String({ format: 'date' }),
    time_zone: Type.String({ examples: ['Europe/Berlin'] }),
    slot_count: Type.Integer({ description: '92, 96 or 100.' }),
    clock_change: Nullable(
      Choice(['forward', 'back'], {
        description: 'Whether an hour is skipped or repeated; null on other days.',
      }),
    ),
    slots: Type.Array(
      Type.Object(
        {
          slot_number: SlotNumber('Quarter-hour within the day.'),
          delivery_start: DateTime('Start, UTC.'),
          delivery_end: DateTime('End, UTC.'),
        },
        { title: 'DeliverySlot' },
      ),
    ),
    gates: Type.Array(
      Type.Object(
        {
          phase: Choice(GATE_PHASES, {
            description:
              'The intraday gate is that of the last slot; each slot closes 15 minutes before its start.',
          }),
          closes_at: DateTime('From then on it is closed.'),
          open: Type.Boolean({ description: 'Whether it is open now.' }),
        },
        { title: 'Gate' },
      ),
    ),
  },
  { title: 'DeliveryDay' },
);
export type DeliveryDayCalendar = Static<typeof DeliveryDayCalendar>;

export const deliveryDayEndpoints = endpoints('Delivery days', {
  getDeliveryDay: endpoint({
    method: 'GET',
    path: '/v1/delivery-days/{date}',
    summary: 'Read the delivery calendar',
    description:
      'The slots of a German delivery day with their UTC bounds, and its gates with their state now.',
    response: DeliveryDayCalendar,
    example: {
      response: {
        date: '2026-10-25',
        time_zone: 'Europe/Berlin',
        slot_count: 100,
        clock_change: 'back',
        slots: [
          { slot_number: 1, delivery_start: '2026-10-24T22:00:00Z', delivery_end: '2026-10-24T22:15:00Z' },
        ],
        gates: [{ phase: 'day_ahead', closes_at: '2026-10-24T12:30:00Z', open: true }],
      },
    },
  }),
});
