import type { MarketDemand } from '@saldo/api';
import type { ReactNode } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { Fact } from '../ui/page.tsx';
import { MoreInfo } from './offer-card.tsx';
import { MARKET_TEXTS } from './texts.ts';

/** One demand of a buyer. */
export function DemandCard({ demand, actions }: { demand: MarketDemand; actions?: ReactNode }) {
  const { format } = useI18n();
  const texts = MARKET_TEXTS[format.language];
  return (
    <article className="flex min-w-0 flex-col gap-3 rounded-lg border border-line bg-surface p-4">
      <header className="grid gap-0.5">
        <h3 className="text-lg font-semibold">
          {format.number(demand.deliveryVolume)}
          <span className="ml-1.5 text-sm font-normal text-muted">{texts.perYear}</span>
        </h3>
        <p className="text-sm text-muted">
          {[demand.state, format.country(demand.country)].filter(Boolean).join(', ')}
        </p>
      </header>
      <dl className="grid grid-cols-2 gap-x-4 gap-y-2 text-sm">
        <Fact label={texts.period}>{texts.years(demand.contractPeriod)}</Fact>
        <Fact label={texts.deliveryStart}>
          {demand.deliveryStart === null ? (
            <span className="text-muted">{texts.notKnown}</span>
          ) : (
            format.date(demand.deliveryStart)
          )}
        </Fact>
      </dl>
      {demand.additionalInfo && <MoreInfo text={demand.additionalInfo} />}
      {actions && <footer className="mt-auto">{actions}</footer>}
    </article>
  );
}
