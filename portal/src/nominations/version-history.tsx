import type { Nomination } from '@saldo/api';
import { useQuery } from '@tanstack/react-query';
import { useI18n } from '../i18n/i18n.tsx';
import { NominationBadges } from '../references/badges.tsx';
import { NominationLink } from '../references/links.tsx';
import { Badge } from '../ui/badge.tsx';
import { cx } from '../ui/cx.ts';
import { Loaded } from '../ui/states.tsx';
import { Instant } from '../ui/time.tsx';
import { CauseList } from './causes.tsx';
import { changesBetween, findDay } from './nominated-slots.ts';
import { causesQuery } from './own-schedules.ts';
import { OWN_TEXTS } from './own-texts.ts';
import { nominationHistoryQuery } from './queries.ts';
import { SlotChanges } from './slot-changes.tsx';

type Props = { nomination: Nomination; onSelect: (slot: number) => void };

/** All versions, newest first, and the slots that the displayed version changed. */
export function VersionHistory({ nomination, onSelect }: Props) {
  const { t } = useI18n();
  const history = useQuery(nominationHistoryQuery(nomination.id));
  return (
    <Loaded query={history}>
      {(versions) => (
        <div className="grid gap-4 p-4 xl:grid-cols-[minmax(20rem,28rem)_minmax(0,1fr)]">
          <div className="grid content-start gap-2">
            <p className="text-sm text-muted">{t.brp.nominations.historyText}</p>
            <ol className="grid gap-1.5">
              {versions.map((version, index) => (
                <li key={version.id}>
                  <VersionLink
                    version={version}
                    before={versions[index + 1] ?? null}
                    isShown={version.id === nomination.id}
                    isNewest={index === 0}
                  />
                </li>
              ))}
            </ol>
          </div>
          <Changes
            after={nomination}
            before={versions.find(({ version }) => version === nomination.version - 1) ?? null}
            onSelect={onSelect}
          />
        </div>
      )}
    </Loaded>
  );
}

type VersionProps = { version: Nomination; before: Nomination | null; isShown: boolean; isNewest: boolean };

function VersionLink({ version, before, isShown, isNewest }: VersionProps) {
  const { t } = useI18n();
  const changes = changesBetween(before, version).length;
  return (
    <NominationLink
      id={version.id}
      search={{ view: 'history' }}
      resetScroll={false}
      aria-current={isShown ? 'true' : undefined}
      className={cx(
        'grid gap-1 rounded-md border px-3 py-2 text-sm',
        isShown ? 'border-accent bg-accent-soft' : 'border-line hover:bg-sunken',
      )}
    >
      <span className="flex flex-wrap items-center gap-2">
        <span className="font-medium">{t.brp.nominations.versionNumber(version.version)}</span>
        <NominationBadges nomination={version} />
        {isNewest && <Badge>{t.brp.nominations.newest}</Badge>}
      </span>
      <span className="flex flex-wrap justify-between gap-x-4 text-xs text-muted">
        <Instant at={version.created_at} />
        <span>{before === null ? t.brp.nominations.firstVersion : t.brp.nominations.changes(changes)}</span>
      </span>
      {before !== null && <Kinds id={version.id} />}
    </NominationLink>
  );
}

/** The kinds of changes behind a version, in words. */
function Kinds({ id }: { id: string }) {
  const { format } = useI18n();
  const { kinds } = OWN_TEXTS[format.language];
  const { data } = useQuery(causesQuery(id));
  const found = [...new Set(data?.causes.map(({ kind }) => kinds[kind]))];
  return <span className="min-h-4 text-xs">{found.join(', ')}</span>;
}

/** Why a version differs from the one before. */
function Causes({ nomination }: { nomination: Nomination }) {
  const { format } = useI18n();
  const { data } = useQuery(causesQuery(nomination.id));
  const title = OWN_TEXTS[format.language].causesOf(nomination.version);
  return (
    <div className="mb-4 grid gap-1">
      <h3 className="text-sm font-semibold">{title}</h3>
      {data && (
        <CauseList causes={data.causes} eic={nomination.eic} day={findDay(nomination) ?? ''} max={100} />
      )}
    </div>
  );
}

type ChangesProps = { after: Nomination; before: Nomination | null; onSelect: (slot: number) => void };

function Changes({ after, before, onSelect }: ChangesProps) {
  const { t } = useI18n();
  if (before === null) return <p className="text-sm text-muted">{t.brp.nominations.firstVersion}</p>;
  const changes = changesBetween(before, after);
  const title = t.brp.nominations.changedFrom(before.version);
  if (changes.length === 0) return <p className="text-sm text-muted">{t.brp.nominations.noChanges}</p>;
  return (
    <div className="min-w-0">
      <Causes nomination={after} />
      <h3 className="mb-1 text-sm font-semibold">{`${title} · ${t.brp.nominations.changes(changes.length)}`}</h3>
      <SlotChanges
        label={title}
        changes={changes}
        before={t.brp.nominations.before}
        after={t.brp.nominations.after}
        onSelect={onSelect}
      />
    </div>
  );
}
