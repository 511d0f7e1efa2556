import type { Health } from '@saldo/api';
import { useQuery } from '@tanstack/react-query';
import { useI18n } from '../i18n/i18n.tsx';
import { Badge } from '../ui/badge.tsx';
import { durationText } from '../ui/duration.ts';
import { Fact, Facts, Panel } from '../ui/page.tsx';
import { Loaded, Notice } from '../ui/states.tsx';
import { Instant } from '../ui/time.tsx';
import { healthQuery } from './queries.ts';
import { HEALTH_TEXTS } from './texts.ts';

/** Changes are netted within seconds; a longer backlog means that the nomination job is stuck. */
const BACKLOG_LIMIT_MS = 5 * 60_000;
/** A larger difference is a moved clock: network latency alone never takes this long. */
const CLOCK_TOLERANCE_MS = 5_000;

const waitedMs = ({ server_time, waiting }: Health): number =>
  waiting.oldest_at === null ? 0 : Date.parse(server_time) - Date.parse(waiting.oldest_at);

const isMoved = ({ server_time, machine_time }: Health): boolean =>
  Math.abs(Date.parse(server_time) - Date.parse(machine_time)) > CLOCK_TOLERANCE_MS;

/** The platform's health, as it reports it. */
export function HealthPanel() {
  const { t } = useI18n();
  const texts = HEALTH_TEXTS[t.language];
  const query = useQuery(healthQuery);
  const isLate = query.data !== undefined && waitedMs(query.data) > BACKLOG_LIMIT_MS;
  const isBad = query.error !== null || isLate;
  return (
    <Panel
      title={texts.title}
      actions={query.data && <Badge tone={isBad ? 'bad' : 'ok'}>{isBad ? texts.bad : texts.good}</Badge>}
    >
      <Loaded query={query}>{(health) => <HealthFacts health={health} isLate={isLate} />}</Loaded>
    </Panel>
  );
}

function HealthFacts({ health, isLate }: { health: Health; isLate: boolean }) {
  const { t, format } = useI18n();
  const texts = HEALTH_TEXTS[t.language];
  const { database, waiting } = health;
  const runsMs = Date.parse(health.machine_time) - Date.parse(health.started_at);
  return (
    <div className="grid gap-4">
      {isLate && <Notice tone="bad">{texts.late}</Notice>}
      {isMoved(health) && <Notice tone="warn">{texts.moved}</Notice>}
      <Facts>
        <Fact label={texts.waiting}>
          {format.number(waiting.position_days)}
          {waiting.oldest_at && (
            <span className="block text-xs text-muted">
              {`${texts.since} `}
              <Instant at={waiting.oldest_at} />
            </span>
          )}
        </Fact>
        <Fact label={t.common.serverTime}>
          <Instant at={health.server_time} withUtc />
        </Fact>
        <Fact label={texts.running}>
          {durationText(runsMs, t.common.countdown.days)}
          <span className="block text-xs text-muted">
            {`${texts.since} `}
            <Instant at={health.started_at} />
          </span>
        </Fact>
        <Fact label={texts.database}>{`PostgreSQL ${database.version}`}</Fact>
        <Fact label={texts.answered}>{`${format.number(database.answered_in_ms)} ms`}</Fact>
        <Fact label={texts.size}>{format.bytes(database.size_bytes)}</Fact>
        <Fact label={texts.schema}>{database.migration}</Fact>
      </Facts>
    </div>
  );
}
