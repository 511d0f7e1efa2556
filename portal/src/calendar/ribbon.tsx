import { dayEnd, dayStart, slotTimes } from '@saldo/core/delivery-day.ts';
import { sumKwh } from '@saldo/core/energy.ts';
import { useWidth } from '../charts/use-width.ts';
import { useI18n } from '../i18n/i18n.tsx';
import { NominationsLink } from '../references/links.tsx';
import { useServerMinute } from '../session/server-clock.ts';
import { cx } from '../ui/cx.ts';
import { Countdown } from '../ui/time.tsx';
import { calendarOf, slotClosings } from './deadlines.ts';
import {
  mismatchedStretches,
  type RibbonDay,
  type RibbonGate,
  ribbonArea,
  ribbonGates,
  timeScale,
  valueScale,
} from './ribbon-geometry.ts';
import { RIBBON_TEXTS } from './ribbon-texts.ts';

const MINUTE_MS = 60_000;
/** A gate that closes within this time is shown as urgent. */
const URGENT_MS = 60 * MINUTE_MS;

const HEIGHT = 96;
/** Above the area: the marks of the gates. */
const TOP = 12;
/** Below it: the stretches that differ. */
const BOTTOM = 8;

type Props = {
  /** Yesterday, today and tomorrow. */
  days: readonly [RibbonDay, RibbonDay, RibbonDay];
  /** What the area shows: the saldo of a BRP, or what all balance groups deliver. */
  what: 'saldo' | 'delivered';
};

/** Three days on one axis of time: the saldo, what differs, the gates and now. */
export function DayRibbon({ days, what }: Props) {
  const { t, format } = useI18n();
  const texts = RIBBON_TEXTS[format.language];
  const now = useServerMinute();
  const [box, width] = useWidth<HTMLDivElement>();
  const names = [texts.yesterday, t.common.today, t.common.tomorrow];
  const [first, , last] = days;
  return (
    <section
      aria-label={t.brp.home.gates}
      className="grid grid-cols-[minmax(0,1fr)] gap-2 rounded-lg bg-surface px-4 py-3"
    >
      <ul className="grid grid-cols-3">
        {days.map((day, at) => (
          <li key={day.day} className={cx('min-w-0 px-2', at > 0 && 'border-l border-line')}>
            <DayLabel day={day} name={names[at] ?? ''} what={what} />
          </li>
        ))}
      </ul>
      <div
        ref={box}
        role="img"
        aria-label={texts.picture(texts[what], format.day(first.day), format.day(last.day), format.time(now))}
        className="h-[96px]"
      >
        {width > 0 && <Drawing days={days} width={width} now={now} />}
      </div>
      <Deadlines days={days} now={now} />
    </section>
  );
}

type LabelProps = { day: RibbonDay; name: string; what: Props['what'] };

function DayLabel({ day: { day, valuesKwh, mismatched }, name, what }: LabelProps) {
  const { t, format } = useI18n();
  const texts = RIBBON_TEXTS[format.language];
  const sum = valuesKwh && sumKwh(valuesKwh);
  const energy =
    sum === null ? t.common.none : `${what === 'saldo' ? format.mwhSigned(sum) : format.mwh(sum)} MWh`;
  return (
    <p className="grid min-h-16 content-start text-sm">
      <NominationsLink search={{ day }} className="w-fit rounded font-semibold hover:underline">
        {name}
        <span className="ml-2 font-normal text-muted max-sm:ml-0 max-sm:block">{format.dayShort(day)}</span>
      </NominationsLink>
      <span className="max-sm:text-xs">
        <span className="sr-only">{`${texts[what]} `}</span>
        {energy}
      </span>
      {mismatched.length > 0 && (
        <span className="text-xs font-medium text-bad">{texts.mismatches(mismatched.length)}</span>
      )}
    </p>
  );
}

function Drawing({ days, width, now }: { days: readonly RibbonDay[]; width: number; now: number }) {
  const x = timeScale(days, width);
  const inner = valueScale(days, HEIGHT - TOP - BOTTOM);
  const y = (kwh: number) => TOP + inner(kwh);
  const bottom = HEIGHT - BOTTOM;
  return (
    <svg
      aria-hidden="true"
      width={width}
      height={HEIGHT}
      viewBox={`0 0 ${width} ${HEIGHT}`}
      className="block"
    >
      <path d={`M0 ${TOP}H${x(now)}V${bottom}H0Z`} className="fill-sunken" />
      {days.map((day) => (
        <g key={day.day}>
          <path d={ribbonArea(day, x, y)} className="fill-out/40" />
          {mismatchedStretches(day).map(({ from, to }) => (
            <g key={from}>
              <path d={`M${x(from)} ${TOP}H${x(to)}V${bottom}H${x(from)}Z`} className="fill-bad/20" />
              <path d={`M${x(from)} ${bottom + 2}H${x(to)}v5H${x(from)}Z`} className="fill-bad" />
            </g>
          ))}
          <path d={`M${x(dayEnd(day.day))} 0V${bottom}`} className="stroke-line" fill="none" />
        </g>
      ))}
      <path d={`M0 ${y(0)}H${width}`} className="stroke-line-strong" fill="none" />
      {ribbonGates(days).map(({ phase, day, at }) => (
        <g key={`${phase} ${day}`} className={at > now ? 'fill-warn stroke-warn' : 'fill-muted stroke-muted'}>
          <path d={`M${x(at)} ${TOP}V${bottom}`} strokeDasharray="2 3" fill="none" />
          <path d={`M${x(at) - 5} 2h10l-5 8Z`} stroke="none" />
        </g>
      ))}
      <path d={`M${x(now)} 0V${bottom}`} strokeWidth="2" className="stroke-accent" fill="none" />
    </svg>
  );
}

type DeadlinesProps = { days: Props['days']; now: number };

/** The gates of today and tomorrow in words, and the next quarter-hour that can still be changed. */
function Deadlines({ days, now }: DeadlinesProps) {
  const [, today] = days;
  const { t, format } = useI18n();
  const texts = RIBBON_TEXTS[format.language];
  // All at once, so that no line moves when the calendar of another day arrives.
  const areKnown = days.every((day) => day.gates.length > 0);
  // Once the wait phase is over, nothing depends on it: changes are sent at once.
  const isShown = ({ phase, at }: RibbonGate) => at >= dayStart(today.day) && (phase !== 'wait' || at > now);
  const gates = areKnown ? ribbonGates(days).filter(isShown) : [];
  const next = slotClosings(calendarOf(today.day, today.gates)).find(({ closesAt }) => closesAt > now);
  const labels: Readonly<Record<RibbonGate['phase'], (day: string) => string>> = {
    day_ahead: t.brp.home.dayAheadGate,
    wait: t.brp.home.waitGate,
    day_after: t.brp.home.dayAfterGate,
  };
  return (
    <ul className="grid min-h-28 content-start gap-x-6 gap-y-0.5 text-sm sm:min-h-16 sm:grid-cols-2 xl:grid-cols-3">
      {areKnown && next && (
        <GateLine
          label={t.brp.home.intradayGate(slotTimes(next.start))}
          closesAt={next.closesAt}
          now={now}
          done={t.brp.home.gateClosed}
          isRoutine
        />
      )}
      {gates.map(({ phase, day, at }) => (
        <GateLine
          key={`${phase} ${day}`}
          label={labels[phase](format.dayShort(day))}
          closesAt={at}
          now={now}
          done={phase === 'wait' ? texts.begun : t.brp.home.gateClosed}
        />
      ))}
    </ul>
  );
}

type LineProps = { label: string; closesAt: number; now: number; done: string; isRoutine?: boolean };

function GateLine({ label, closesAt, now, done, isRoutine = false }: LineProps) {
  const { format } = useI18n();
  const leftMs = closesAt - now;
  const isUrgent = !isRoutine && leftMs > 0 && leftMs < URGENT_MS;
  return (
    <li className="flex items-baseline justify-between gap-2">
      <span className="min-w-0 text-muted">{label}</span>
      <span
        className={cx(
          'whitespace-nowrap',
          isUrgent && 'font-semibold text-warn',
          leftMs <= 0 && 'text-muted',
        )}
      >
        {`${format.time(closesAt)} · `}
        <Countdown until={closesAt} done={done} />
      </span>
    </li>
  );
}
