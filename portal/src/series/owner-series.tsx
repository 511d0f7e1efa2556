import type { Series } from '@saldo/api';
import { SERIES_KINDS, type SeriesKind } from '@saldo/core/enums.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { readSeriesSearch } from '../references/filters.ts';
import { useToday } from '../session/server-clock.ts';
import { usePermission } from '../session/session.ts';
import { useChoices } from '../ui/address.ts';
import { buttonClass, IconButton } from '../ui/button.tsx';
import { Code } from '../ui/copy.tsx';
import { CreateButton } from '../ui/create-button.tsx';
import { DayPicker } from '../ui/filters.tsx';
import { Panel } from '../ui/page.tsx';
import { Loaded, Skeleton } from '../ui/states.tsx';
import { Segments } from '../ui/tabs.tsx';
import { DayValues } from './day-values.tsx';
import { Deviation } from './deviation.tsx';
import { ownerSeriesQuery } from './queries.ts';
import { EditSeriesDialog, type NamedOwner, NewSeriesDialog } from './series-dialog.tsx';
import { SeriesLink } from './series-link.tsx';
import { useSeriesTexts } from './series-texts.ts';

/** The series of a plant or customer, and their values. */
export function OwnerSeries({ owner }: { owner: NamedOwner }) {
  const texts = useSeriesTexts();
  const query = useQuery(ownerSeriesQuery(owner.id));
  return (
    <Loaded
      query={query}
      loading={
        <Panel title={texts.title}>
          <Skeleton lines={2} />
        </Panel>
      }
    >
      {(series) => (
        <>
          <Panel
            title={texts.title}
            actions={
              <Link to="/operator/series/import" className={buttonClass()}>
                {texts.import.open}
              </Link>
            }
          >
            <dl className="grid gap-x-6 gap-y-3 text-sm sm:grid-cols-2">
              {SERIES_KINDS.map((kind) => (
                <KindOfOwner
                  key={kind}
                  kind={kind}
                  owner={owner}
                  series={series.find((one) => one.kind === kind)}
                />
              ))}
            </dl>
          </Panel>
          {series.length > 0 && <SeriesComparison series={series} />}
        </>
      )}
    </Loaded>
  );
}

type KindProps = { kind: SeriesKind; owner: NamedOwner; series: Series | undefined };

function KindOfOwner({ kind, owner, series }: KindProps) {
  const texts = useSeriesTexts();
  const mayChange = usePermission('member');
  const [isEdited, setIsEdited] = useState(false);
  return (
    <div className="min-w-0">
      <dt className="text-xs text-muted">{texts.kinds[kind]}</dt>
      {series ? (
        <dd className="mt-0.5 flex flex-wrap items-center gap-x-3 break-words">
          <SeriesLink id={series.id} name={series.name} />
          {series.market_location ? (
            <Code text={series.market_location} />
          ) : (
            <span className="text-muted">{texts.noLocation}</span>
          )}
          {mayChange && (
            <IconButton
              icon="edit"
              label={`${texts.edit}: ${series.name}`}
              onClick={() => setIsEdited(true)}
            />
          )}
          {isEdited && <EditSeriesDialog id={series.id} onClose={() => setIsEdited(false)} />}
        </dd>
      ) : (
        <dd className="mt-0.5 flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className="text-muted">{texts.none[kind]}</span>
          <CreateButton label={texts.create[kind]}>
            {(close) => <NewSeriesDialog kind={kind} owner={owner} onClose={close} />}
          </CreateButton>
        </dd>
      )}
    </div>
  );
}

/** Forecast, meter and their difference, by quarter-hour or by day. The series belong to one plant or customer. */
export function SeriesComparison({ series }: { series: readonly Series[] }) {
  const { search, set } = useChoices(readSeriesSearch);
  const texts = useSeriesTexts();
  const today = useToday();
  const day = search.day ?? today;
  return (
    <>
      <div className="flex flex-wrap items-end justify-between gap-3">
        {search.view !== 'period' && (
          <DayPicker value={day} today={today} onChange={(next) => set({ day: next, slot: undefined })} />
        )}
        <Segments
          label={texts.day.view}
          value={search.view ?? 'day'}
          onChange={(view) => set({ view: view === 'period' ? view : undefined })}
          tabs={[
            { value: 'day', label: texts.day.day },
            { value: 'period', label: texts.day.period },
          ]}
        />
      </div>
      {search.view === 'period' ? (
        <Deviation series={series} search={search} today={today} set={set} />
      ) : (
        <DayValues series={series} day={day} chosen={search.slot} onSelect={(slot) => set({ slot })} />
      )}
    </>
  );
}
