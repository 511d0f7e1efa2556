import { type BoardArea, type BoardDay, type ExchangeBoard, TSOS } from '@saldo/api';
import { addDays, type DeliveryDay } from '@saldo/core/delivery-day.ts';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { type Calendar, calendarOf, deadlineOf } from '../calendar/deadlines.ts';
import { useI18n } from '../i18n/i18n.tsx';
import { useServerMinute, useToday } from '../session/server-clock.ts';
import { Badge } from '../ui/badge.tsx';
import { cx } from '../ui/cx.ts';
import { TableScroll } from '../ui/table.tsx';
import { Countdown } from '../ui/time.tsx';
import { deadlineOfArea, problemOf } from './board-cells.ts';
import { BOARD_TEXTS } from './board-texts.ts';
import { STATE_TONES } from './message-badges.tsx';
import { EXCHANGE_TEXTS } from './texts.ts';

const useTexts = () => BOARD_TEXTS[useI18n().format.language];

const LINK = 'rounded text-accent-strong hover:underline';
const CELL_TONES = { rejected: 'bg-bad-soft', mismatch: 'bg-bad-soft', unsent: 'bg-warn-soft' };

/** The TSOs by delivery day. On a wall display the type is large and the rows fill the width. */
export function BoardTable({ board, isLarge = false }: { board: ExchangeBoard; isLarge?: boolean }) {
  const { t, format } = useI18n();
  const texts = useTexts();
  return (
    <>
      <TableScroll label={texts.label}>
        <table
          className={cx(
            'w-full table-fixed border-collapse',
            isLarge ? 'min-w-6xl text-[clamp(1.25rem,1.6vw,2rem)]' : 'min-w-4xl text-sm',
          )}
        >
          <caption className="sr-only">{texts.label}</caption>
          <thead>
            <tr className="border-b border-line text-left">
              <th scope="col" className="w-[22%] px-4 py-1.5 font-medium text-muted">
                {texts.day}
              </th>
              {TSOS.map((tso) => (
                <th key={tso} scope="col" className="px-3 py-1.5 font-semibold">
                  {t.common.tsos[tso]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {board.days.map((day) => (
              <DayRow key={day.delivery_date} day={day} />
            ))}
          </tbody>
        </table>
      </TableScroll>
      {board.more_from !== null && (
        <p className="px-4 py-2 text-sm text-muted">{texts.moreFrom(format.day(board.more_from))}</p>
      )}
    </>
  );
}

/** Yesterday, today or tomorrow; null for other days. */
function useDayName(day: DeliveryDay): string | null {
  const { t } = useI18n();
  const texts = useTexts();
  const today = useToday();
  if (day === today) return t.common.today;
  if (day === addDays(today, 1)) return t.common.tomorrow;
  return day === addDays(today, -1) ? texts.yesterday : null;
}

function DayRow({ day }: { day: BoardDay }) {
  const { format } = useI18n();
  const texts = useTexts();
  const now = useServerMinute();
  const name = useDayName(day.delivery_date);
  const calendar = useMemo(() => calendarOf(day.delivery_date, day.gates), [day]);
  const next = deadlineOf(calendar, { slots: null }, now);
  return (
    <tr className="border-b border-line last:border-0">
      <th scope="row" className="px-4 py-2 text-left align-top font-normal">
        {name && <span className="block font-semibold">{name}</span>}
        <span className={cx('block', name ? 'text-muted' : 'font-semibold')}>
          {format.day(day.delivery_date)}
        </span>
        <span className="block text-[0.85em] text-muted">
          {next === null ? (
            texts.closed
          ) : (
            <>
              {`${texts.gate} ${format.time(next.at)} · `}
              <Countdown until={next.at} done={texts.closed} />
            </>
          )}
        </span>
      </th>
      {day.areas.map((area) => (
        <AreaCell key={area.tso} day={day.delivery_date} area={area} calendar={calendar} now={now} />
      ))}
    </tr>
  );
}

type CellProps = { day: DeliveryDay; area: BoardArea; calendar: Calendar; now: number };

function AreaCell({ day, area, calendar, now }: CellProps) {
  const { format } = useI18n();
  const texts = useTexts();
  const problem = problemOf(area);
  const isEmpty = area.nominations === 0 && area.schedule === null;
  if (isEmpty)
    return (
      <td className="px-3 py-2 align-top text-muted">
        <span aria-hidden="true">–</span>
        <span className="sr-only">{texts.empty}</span>
      </td>
    );
  const deadline = deadlineOfArea(calendar, area, now);
  return (
    <td className={cx('px-3 py-2 align-top', problem && CELL_TONES[problem])}>
      <div className="grid gap-1">
        <StateLink day={day} area={area} />
        <Steps area={area} />
        <ProblemLinks day={day} area={area} />
        {deadline !== null && (
          <span className="font-semibold">
            {`${EXCHANGE_TEXTS[format.language].gate} ${format.time(deadline.at)} · `}
            <Countdown until={deadline.at} done={texts.closed} />
          </span>
        )}
      </div>
    </td>
  );
}

/** The state of the newest schedule, with the way to the messages of the cell. */
function StateLink({ day, area }: { day: DeliveryDay; area: BoardArea }) {
  const { t, format } = useI18n();
  const texts = useTexts();
  const { tso, schedule } = area;
  if (schedule === null) return null;
  const isConfirmed = schedule.state === 'acknowledged' && area.confirmed?.version === schedule.version;
  return (
    <Link
      to="/operator/messages"
      search={{ day, tso }}
      className={cx(LINK, 'flex flex-wrap items-center gap-x-2 font-semibold')}
    >
      <span>{texts.version(schedule.version)}</span>
      {problemOf(area) === 'mismatch' ? (
        <Badge tone="bad" isScaled>
          {texts.mismatch}
        </Badge>
      ) : (
        // A confirmed version waits for nothing, although the state of its message stays `acknowledged`.
        <Badge tone={isConfirmed ? 'ok' : STATE_TONES[schedule.state]} isScaled>
          {t.exchange.message.states[isConfirmed ? 'confirmed' : schedule.state]}
        </Badge>
      )}
      <span className="sr-only">{`${texts.messages} ${t.common.tsos[tso]}, ${format.day(day)}`}</span>
    </Link>
  );
}

/** Which version the TSO has been sent, has acknowledged and has confirmed. An older one than the newest stands out. */
function Steps({ area: { schedule, acknowledged, confirmed, is_final } }: { area: BoardArea }) {
  const texts = useTexts();
  if (schedule === null) return null;
  const sent = schedule.sent_at === null ? null : { version: schedule.version, at: schedule.sent_at };
  const step = (label: string, done: BoardArea['acknowledged'], note?: string) => (
    <Step label={label} done={done} newest={schedule.version} note={note} />
  );
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2 text-[0.8em] leading-snug">
      {step(texts.sent, sent)}
      {step(texts.acknowledged, acknowledged)}
      {step(texts.confirmed, confirmed, is_final ? texts.finally : undefined)}
    </dl>
  );
}

type StepProps = {
  label: string;
  done: BoardArea['acknowledged'];
  newest: number;
  note: string | undefined;
};

function Step({ label, done, newest, note }: StepProps): ReactNode {
  const { format } = useI18n();
  const texts = useTexts();
  const isOlder = done !== null && done.version < newest;
  const parts = done && [texts.version(done.version), done.at && format.time(done.at), note];
  return (
    <>
      <dt className="text-muted">{label}</dt>
      <dd
        className={cx(
          'whitespace-nowrap',
          done === null && 'text-muted',
          isOlder && 'font-semibold text-warn',
        )}
      >
        {parts ? parts.filter(Boolean).join(' · ') : texts.never}
      </dd>
    </>
  );
}

function ProblemLinks({ day, area }: { day: DeliveryDay; area: BoardArea }) {
  const texts = useTexts();
  const { tso, mismatched, mismatched_slots: slots, unsent, error } = area;
  return (
    <>
      {mismatched > 0 && (
        <Link
          to="/operator/mismatches"
          search={{ day, tso }}
          className={cx(LINK, 'text-[0.9em] font-medium')}
        >
          {`≠ ${texts.mismatches(mismatched, slots.length)}`}
        </Link>
      )}
      {unsent > 0 && (
        <Link to="/operator/exchange" search={{ day, tso }} className={cx(LINK, 'text-[0.9em] font-medium')}>
          {texts.unsentCount(unsent)}
        </Link>
      )}
      {error && <span className="line-clamp-3 max-w-xs text-[0.8em] text-bad">{error}</span>}
    </>
  );
}
