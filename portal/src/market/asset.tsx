import type { OperatorAsset } from '@saldo/api';
import { isProblem } from '@saldo/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { OwnerSeries } from '../series/owner-series.tsx';
import { operatorClient } from '../session/operator-client.ts';
import { usePermission, useSession } from '../session/session.ts';
import { changeOf, useChange, type Versioned } from '../session/versions.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import { ConflictNotice } from '../ui/conflict.tsx';
import { Code } from '../ui/copy.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { Fact, Facts, Page, Panel, TrailLink } from '../ui/page.tsx';
import { EmptyState, Loaded, Skeleton } from '../ui/states.tsx';
import { Instant } from '../ui/time.tsx';
import { useChangeHandlers } from '../ui/use-change-handlers.ts';
import { useInput } from '../ui/use-input.ts';
import { AssetDialog } from './asset-dialog.tsx';
import { OfferedBadge } from './assets.tsx';
import { OfferCard } from './offer-card.tsx';
import { OfferForm, type OfferFormState, offerFormInput, useOfferTexts } from './offer-form.tsx';
import { offerPreview } from './offer-input.ts';
import { assetQuery } from './operator-queries.ts';
import { MARKET_TEXTS } from './texts.ts';

/** One plant and its offer. */
export function AssetPage() {
  const { assetId = '' } = useParams({ strict: false });
  const query = useQuery(assetQuery(assetId));
  return (
    <Loaded query={query} loading={<Skeleton lines={12} />}>
      {(version) => <AssetView key={version.record.id} version={version} />}
    </Loaded>
  );
}

type ViewProps = { version: Versioned<OperatorAsset> };

function AssetView({ version }: ViewProps) {
  const { record: asset } = version;
  const { t, format } = useI18n();
  const texts = MARKET_TEXTS[format.language].operator;
  const mayChange = usePermission('member');
  const [isEdited, setIsEdited] = useState(false);
  const { offer } = asset;
  return (
    <Page
      title={asset.name}
      trail={<TrailLink to="/operator/assets" label={texts.assetsTitle} />}
      badges={<OfferedBadge offer={offer} />}
      actions={
        <>
          <Link to="/operator/audit" search={{ subject: asset.id }} className={buttonClass()}>
            {t.operator.nav.audit}
          </Link>
          {mayChange && (
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
          <Fact
            label={MARKET_TEXTS[format.language].nominalPower}
          >{`${format.number(asset.nominal_power)} MW`}</Fact>
          <Fact label={t.common.controlArea}>{t.common.tsos[asset.tso]}</Fact>
          {offer && (
            <Fact label={MARKET_TEXTS[format.language].published}>
              <Instant at={offer.published_at} withUtc />
            </Fact>
          )}
          <Fact label={t.common.id}>
            <Code text={asset.id} />
          </Fact>
        </Facts>
      </Panel>
      <OfferPart version={version} />
      <OwnerSeries owner={{ type: 'asset', id: asset.id, name: asset.name }} />
      {isEdited && (
        <AssetDialog
          version={version}
          onSaved={() => setIsEdited(false)}
          onClose={() => setIsEdited(false)}
        />
      )}
    </Page>
  );
}

/** The offer, and the dialog that withdraws it, which stays open when another user has withdrawn it meanwhile. */
function OfferPart({ version }: ViewProps) {
  const [withdrawn, setWithdrawn] = useState<Versioned<OperatorAsset> | null>(null);
  const form = useInput(offerFormInput(version.record));
  return (
    <>
      <OfferContent version={version} form={form} onWithdraw={() => setWithdrawn(version)} />
      {withdrawn && (
        <WithdrawDialog
          opened={withdrawn}
          stored={version.record}
          onDone={(saved) => {
            form.takeOver(form.input, offerFormInput(saved));
            setWithdrawn(null);
          }}
          onClose={() => setWithdrawn(null)}
        />
      )}
    </>
  );
}

type ContentProps = ViewProps & { form: OfferFormState; onWithdraw: () => void };

/** The offer's form next to a preview for account holders. */
function OfferContent({ version, form, onWithdraw }: ContentProps) {
  const { format } = useI18n();
  const texts = MARKET_TEXTS[format.language].operator;
  const mayChange = usePermission('member');
  const { record: asset } = version;
  const [isBegun, setIsBegun] = useState(false);
  const { customer_base_url } = useSession();
  // Input stays when another user withdraws the offer.
  if (asset.offer === null && !isBegun && !form.isUnsaved) {
    return (
      <Panel title={texts.offer}>
        <EmptyState
          title={texts.noOffer}
          text={texts.noOfferText}
          action={
            mayChange && (
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
      {mayChange && (
        <Panel
          title={texts.offer}
          actions={
            asset.offer && (
              <Button icon="trash" onClick={onWithdraw}>
                {texts.withdraw}
              </Button>
            )
          }
        >
          <OfferForm version={version} form={form} onSaved={() => setIsBegun(false)} />
        </Panel>
      )}
      <section className="grid gap-2 lg:sticky lg:top-4">
        <h2 className="text-sm font-semibold">{texts.preview}</h2>
        <OfferCard offer={offerPreview(asset, form.input, customer_base_url)} />
      </section>
    </div>
  );
}

type WithdrawProps = {
  /** The version that the user saw. */
  opened: Versioned<OperatorAsset>;
  stored: OperatorAsset;
  onDone: (asset: OperatorAsset) => void;
  onClose: () => void;
};

function WithdrawDialog({ opened, stored, onDone, onClose }: WithdrawProps) {
  const { format } = useI18n();
  const texts = MARKET_TEXTS[format.language].operator;
  const { id, name } = opened.record;
  const [started, current] = [offerFormInput(opened.record), offerFormInput(stored)];
  const describe = useOfferTexts(started, current);
  const withdraw = useChange(
    useChangeHandlers<OperatorAsset>({
      toast: () => texts.withdrawnToast(name),
      refresh: [['assets']],
      onDone,
    }),
  );
  const confirm = () =>
    withdraw.mutate(
      changeOf({
        query: assetQuery(id),
        from: opened,
        partOf: offerFormInput,
        send: (options) => operatorClient.assets.update(id, { offer: null }, options),
      }),
    );
  const isChanged = isProblem(withdraw.error, 'precondition_failed');
  return (
    <ConfirmDialog
      title={texts.withdrawTitle(name)}
      text={texts.withdrawText}
      action={texts.withdraw}
      isDangerous
      isOver={isChanged}
      isBusy={withdraw.isPending}
      error={isChanged ? null : withdraw.error}
      onConfirm={confirm}
      onClose={onClose}
    >
      {isChanged && <ConflictNotice recordId={id} started={started} current={current} describe={describe} />}
    </ConfirmDialog>
  );
}
