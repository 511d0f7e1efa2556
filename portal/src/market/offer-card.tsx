import type { MarketAsset } from '@saldo/api';
import { useI18n } from '../i18n/i18n.tsx';
import { Badge } from '../ui/badge.tsx';
import { Icon } from '../ui/icons.tsx';
import { Fact } from '../ui/page.tsx';
import { Cover } from './cover.tsx';
import { PriceLadder } from './price-ladder.tsx';

/** An offer as account holders see it. */
export function OfferCard({ offer }: { offer: MarketAsset }) {
  const { t, format } = useI18n();
  const texts = t.market;
  const place = [offer.state, format.country(offer.country)].filter(Boolean).join(', ');
  return (
    <article className="flex min-w-0 flex-col overflow-hidden rounded-lg border border-line bg-surface">
      <Cover url={offer.coverUrl} assetType={offer.assetType} />
      <div className="flex flex-1 flex-col gap-3 p-4">
        <header className="grid gap-1">
          <h3 className="font-semibold break-words">{offer.name}</h3>
          <p className="text-sm text-muted">{place}</p>
          <p className="flex flex-wrap gap-1">
            <Badge tone={offer.assetType === 'WIND' ? 'out' : 'in'}>
              <Icon name={offer.assetType === 'WIND' ? 'wind' : 'sun'} className="size-3.5" />
              {texts.assetTypes[offer.assetType]}
            </Badge>
            <Badge>{texts.ppaTypes[offer.ppaType]}</Badge>
          </p>
        </header>
        <dl className="grid grid-cols-2 gap-x-4 gap-y-2 text-sm">
          <Fact label={texts.nominalPower}>{`${format.number(offer.nominalPower)} MW`}</Fact>
          <Fact label={texts.annualEnergy}>
            {offer.averageAnnualPower === null ? (
              <span className="text-muted">{texts.notKnown}</span>
            ) : (
              `${format.number(offer.averageAnnualPower)} MWh`
            )}
          </Fact>
          <Fact label={texts.deliveryStart}>
            {/* It is missing only in the preview of an incomplete offer. */}
            {offer.deliveryStart === '' ? t.common.none : format.date(offer.deliveryStart)}
          </Fact>
        </dl>
        <PriceLadder name={offer.name} pricing={offer.pricing} />
        {offer.additionalInfo && <MoreInfo text={offer.additionalInfo} />}
      </div>
    </article>
  );
}

/** A longer text is collapsed. */
const SHORT_INFO = 140;

export function MoreInfo({ text }: { text: string }) {
  const { t } = useI18n();
  if (text.length <= SHORT_INFO)
    return <p className="text-sm break-words whitespace-pre-line text-muted">{text}</p>;
  return (
    <details className="text-sm text-muted">
      <summary className="font-medium text-text">{t.market.showInfo}</summary>
      <p className="mt-1 break-words whitespace-pre-line">{text}</p>
    </details>
  );
}
