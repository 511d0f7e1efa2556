import type { Series } from '@saldo/api';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { usePermission } from '../session/session.ts';
import { Badge } from '../ui/badge.tsx';
import { Button, buttonClass } from '../ui/button.tsx';
import { Code } from '../ui/copy.tsx';
import { Fact, Facts, Page, Panel, TrailLink } from '../ui/page.tsx';
import { Loaded, Skeleton } from '../ui/states.tsx';
import { Instant } from '../ui/time.tsx';
import { OwnerLink } from './owner-link.tsx';
import { SeriesComparison } from './owner-series.tsx';
import { ownerSeriesQuery, seriesQuery } from './queries.ts';
import { EditSeriesDialog } from './series-dialog.tsx';
import { useSeriesTexts } from './series-texts.ts';

/** One series, with its values beside those of the other series of its plant or customer. */
export function SeriesPage() {
  const { seriesId = '' } = useParams({ strict: false });
  const query = useQuery(seriesQuery(seriesId));
  return (
    <Loaded query={query} loading={<Skeleton lines={12} />}>
      {({ record }) => <SeriesView series={record} />}
    </Loaded>
  );
}

function SeriesView({ series }: { series: Series }) {
  const { t } = useI18n();
  const texts = useSeriesTexts();
  const mayChange = usePermission('member');
  const [isEdited, setIsEdited] = useState(false);
  const ofOwner = useQuery(ownerSeriesQuery(series.owner.id));
  return (
    <Page
      title={series.name}
      trail={<TrailLink to="/operator/series" label={texts.title} />}
      badges={<Badge>{texts.kinds[series.kind]}</Badge>}
      actions={
        <>
          <Link to="/operator/audit" search={{ subject: series.id }} className={buttonClass()}>
            {t.operator.nav.audit}
          </Link>
          {mayChange && (
            <Button icon="edit" onClick={() => setIsEdited(true)}>
              {texts.edit}
            </Button>
          )}
        </>
      }
    >
      <Panel>
        <Facts>
          <Fact label={texts.ownerTypes[series.owner.type]}>
            <OwnerLink owner={series.owner} />
          </Fact>
          <Fact label={texts.location}>
            {series.market_location ? <Code text={series.market_location} /> : texts.noLocation}
          </Fact>
          <Fact label={t.common.created}>
            <Instant at={series.created_at} />
          </Fact>
          <Fact label={t.common.id}>
            <Code text={series.id} />
          </Fact>
        </Facts>
      </Panel>
      <Loaded query={ofOwner}>{(all) => <SeriesComparison series={all} />}</Loaded>
      {isEdited && <EditSeriesDialog id={series.id} onClose={() => setIsEdited(false)} />}
    </Page>
  );
}
