import type { OperatorAsset } from '@saldo/api';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { offerInputs, offerPreview } from '../domain/offer.ts';
import { useI18n } from '../i18n/i18n.tsx';
import { OfferCard } from '../market/offer-card.tsx';
import { operatorClient } from '../session/operator-client.ts';
import { useMayManage, useSession } from '../session/session.ts';
import { useRefresh } from '../session/use-refresh.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import { Code } from '../ui/copy.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { Fact, Facts, Page, Panel } from '../ui/page.tsx';
import { EmptyState, Loaded, Skeleton } from '../ui/states.tsx';
import { Instant } from '../ui/time.tsx';
import { useToast } from '../ui/toast.tsx';
import { AssetDialog } from './asset-dialog.tsx';
import { OfferedBadge } from './assets.tsx';
import { assetQuery } from './market-queries.ts';
import { OfferForm } from './offer-form.tsx';

const route = getRouteApi('/app/operator/assets/$assetId');

/** One plant and its offer. */
export function AssetPage() {
  const { assetId } = route.useParams();
  const query = useQuery(assetQuery(assetId));
  return (
    <Loaded query={query} loading={<Skeleton lines={12} />}>
      {(asset) => <AssetView key={asset.id} asset={asset} />}
    </Loaded>
  );
}

function AssetView({ asset }: { asset: OperatorAsset }) {
  const { t, format } = useI18n();
  const texts = t.market.operator;
  const mayManage = useMayManage();
  const [isEdited, setIsEdited] = useState(false);
  const { offer } = asset;
  return (
    <Page
      title={asset.name}
      trail={
        <Link to="/operator/assets" className="hover:underline">
          {texts.assetsTitle}
        </Link>
      }
      badges={<OfferedBadge offer={offer} />}
      actions={
        <>
          <Link to="/operator/audit" search={{ subject: asset.id }} className={buttonClass()}>
            {t.operator.audit.ofThis}
          </Link>
          {mayManage && (
            <Button icon="edit" onClick={() => setIsEdited(true)}>
              {texts.editAsset}
            </Button>
          )}
        </>
      }
    >
      <Panel>
        <Facts>
          <Fact label={texts.technology}>{t.brp.contracts.technologies[asset.technology]}</Fact>
          <Fact label={t.market.nominalPower}>{`${format.number(asset.nominal_power)} MW`}</Fact>
          <Fact label={t.common.controlArea}>{t.common.tsos[asset.tso]}</Fact>
          {offer && (
            <Fact label={t.market.published}>
              <Instant at={offer.published_at} withUtc />
            </Fact>
          )}
          <Fact label={t.common.id}>
            <Code text={asset.id} />
          </Fact>
        </Facts>
      </Panel>
      <OfferPart asset={asset} />
      {isEdited && (
        <AssetDialog asset={asset} onSaved={() => setIsEdited(false)} onClose={() => setIsEdited(false)} />
      )}
    </Page>
  );
}

/** The offer's form next to a preview for account holders. */
function OfferPart({ asset }: { asset: OperatorAsset }) {
  const { t } = useI18n();
  const texts = t.market.operator;
  const mayManage = useMayManage();
  const [isBegun, setIsBegun] = useState(false);
  const [isWithdrawn, setIsWithdrawn] = useState(false);
  const [inputs, setInputs] = useState(() => offerInputs(asset));
  const [savedInputs, setSavedInputs] = useState(inputs);
  const { customer_base_url } = useSession();
  if (asset.offer === null && !isBegun) {
    return (
      <Panel title={texts.offer}>
        <EmptyState
          title={texts.noOffer}
          text={texts.noOfferText}
          action={
            mayManage && (
              <Button variant="primary" icon="plus" onClick={() => setIsBegun(true)}>
                {texts.makeOffer}
              </Button>
            )
          }
        />
      </Panel>
    );
  }
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_20rem]">
      {mayManage && (
        <Panel
          title={texts.offer}
          actions={
            asset.offer && (
              <Button icon="trash" onClick={() => setIsWithdrawn(true)}>
                {texts.withdraw}
              </Button>
            )
          }
        >
          <OfferForm
            asset={asset}
            inputs={inputs}
            isUnsaved={inputs !== savedInputs}
            onChange={setInputs}
            onSaved={() => {
              setIsBegun(false);
              setSavedInputs(inputs);
            }}
          />
        </Panel>
      )}
      <section className="grid gap-2 lg:sticky lg:top-4">
        <h2 className="text-sm font-semibold">{texts.preview}</h2>
        <OfferCard offer={offerPreview(asset, inputs, customer_base_url)} />
      </section>
      {isWithdrawn && (
        <WithdrawDialog
          asset={asset}
          onDone={() => {
            setIsWithdrawn(false);
            const empty = offerInputs({ offer: null });
            setInputs(empty);
            setSavedInputs(empty);
          }}
          onClose={() => setIsWithdrawn(false)}
        />
      )}
    </div>
  );
}

type WithdrawProps = { asset: OperatorAsset; onDone: () => void; onClose: () => void };

function WithdrawDialog({ asset, onDone, onClose }: WithdrawProps) {
  const { t } = useI18n();
  const texts = t.market.operator;
  const toast = useToast();
  const refresh = useRefresh();
  const withdraw = useMutation({
    mutationFn: () => operatorClient.assets.update(asset.id, { offer: null }),
    onSuccess: async () => {
      toast(texts.withdrawnToast(asset.name));
      await refresh(['assets']);
      onDone();
    },
  });
  return (
    <ConfirmDialog
      title={texts.withdrawTitle(asset.name)}
      text={texts.withdrawText}
      action={texts.withdraw}
      isDangerous
      isBusy={withdraw.isPending}
      error={withdraw.error}
      onConfirm={() => withdraw.mutate()}
      onClose={onClose}
    />
  );
}
