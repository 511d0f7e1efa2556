import {
  CONTRACT_TYPES,
  type Contract,
  LIMITS,
  type OperatorContractCreate,
  PPA_TYPES,
  type SourceInput,
} from '@saldo/api';
import { addDays, dayStart, formatInstant, isDay } from '@saldo/core/delivery-day.ts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { Dictionary } from '../i18n/dictionary.ts';
import { useI18n } from '../i18n/i18n.tsx';
import { operatorClient } from '../session/operator-client.ts';
import { useRefresh } from '../session/use-refresh.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import { DateField, Form, SelectField, TextField } from '../ui/form.tsx';
import { Page, Panel, TrailLink } from '../ui/page.tsx';
import { useToast } from '../ui/toast.tsx';
import { useInput } from '../ui/use-input.ts';
import { useIsMounted } from '../ui/use-is-mounted.ts';
import { ContractPartyField } from './contract-party-field.tsx';
import { NewSourceFields, useNewSource } from './new-source.tsx';
import { assetsQuery } from './operator-queries.ts';
import { OPERATOR_CONTRACT_TEXTS } from './operator-texts.ts';
import {
  EMPTY_PROFILE,
  isProfileKind,
  ProfileFields,
  type ProfileInput,
  profileOf,
} from './profile-fields.tsx';
import { SOURCE_FIELDS } from './source-fields.tsx';

const FIELDS = [
  'external_id',
  'type',
  'seller_customer_id',
  'buyer_customer_id',
  'delivery_start',
  'delivery_end',
  'ppa_type',
  'asset_id',
  'profile',
];

type Inputs = {
  readonly reference: string;
  readonly type: Contract['type'];
  readonly seller: string;
  readonly buyer: string;
  readonly firstDay: string;
  readonly lastDay: string;
  readonly ppaType: (typeof PPA_TYPES)[number];
  readonly asset: string;
};

const EMPTY: Inputs = {
  reference: '',
  type: 'ppa',
  seller: '',
  buyer: '',
  firstDay: '',
  lastDay: '',
  ppaType: 'produced',
  asset: '',
};

type Terms = Dictionary['brp']['contracts']['terms'];

const mapTerms = <V,>(terms: Terms, valueOf: (text: string) => V) =>
  Object.fromEntries(Object.entries(terms).map(([name, text]) => [name, valueOf(text)])) as {
    readonly [Name in keyof Terms]: V;
  };

/** The request body: local midnights, and only the fields of the contract's type. */
function bodyOf(
  inputs: Inputs,
  terms: Terms,
  profile: ProfileInput,
  source: SourceInput | null,
): OperatorContractCreate {
  const { firstDay, lastDay, ppaType } = inputs;
  const made = profileOf(ppaType, profile);
  const orNull = (text: string) => (text.trim() === '' ? null : text);
  return {
    external_id: inputs.reference,
    type: inputs.type,
    seller_customer_id: inputs.seller,
    buyer_customer_id: inputs.buyer,
    delivery_start: isDay(firstDay) ? formatInstant(dayStart(firstDay)) : null,
    delivery_end: isDay(lastDay) ? formatInstant(dayStart(addDays(lastDay, 1))) : null,
    ...(inputs.type === 'ppa'
      ? {
          ppa_type: ppaType,
          ...mapTerms(terms, orNull),
          asset_id: orNull(inputs.asset),
          ...(made === null ? {} : { profile: made }),
          ...(source === null ? {} : { source }),
        }
      : {}),
  };
}

/** Creates a contract between two customers that have a balance group. */
export function NewContractPage() {
  const { t } = useI18n();
  const texts = OPERATOR_CONTRACT_TEXTS[t.language];
  const toast = useToast();
  const navigate = useNavigate();
  const refresh = useRefresh();
  const isMounted = useIsMounted();
  const { input: inputs, set, isUnsaved } = useInput(EMPTY);
  const terms = useInput<Terms>(mapTerms(t.brp.contracts.terms, () => ''));
  const profile = useInput(EMPTY_PROFILE);
  const source = useNewSource(inputs);
  const create = useMutation({
    mutationFn: (body: OperatorContractCreate) => operatorClient.contracts.create(body),
    onSuccess: async ({ id, external_id }) => {
      toast(t.operator.savedToast(external_id));
      await refresh(['contracts']);
      if (!isMounted()) return;
      await navigate({
        to: '/operator/contracts/$contractId',
        params: { contractId: id },
        ignoreBlocker: true,
      });
    },
  });
  const submit = () => {
    const read = source.submitted();
    if (read !== 'faulty') create.mutate(bodyOf(inputs, terms.input, profile.input, read));
  };
  return (
    <Page
      title={texts.createTitle}
      text={texts.createText}
      trail={<TrailLink to="/operator/contracts" label={t.brp.contracts.title} />}
    >
      <div className="max-w-3xl">
        <Panel>
          <Form
            error={create.error}
            fields={[...FIELDS, ...SOURCE_FIELDS, ...Object.keys(terms.input)]}
            onSubmit={submit}
            isUnsaved={isUnsaved || terms.isUnsaved || profile.isUnsaved || source.isUnsaved}
          >
            <CommonFields inputs={inputs} set={set} isRejected={create.isError} />
            {inputs.type === 'ppa' && (
              <PpaFields inputs={inputs} set={set} terms={terms.input} setTerms={terms.set} />
            )}
            {inputs.type === 'ppa' && isProfileKind(inputs.ppaType) && (
              <ProfileFields kind={inputs.ppaType} value={profile.input} onChange={profile.set} />
            )}
            <NewSourceFields source={source} />
            <div className="flex justify-end gap-2">
              <Link to="/operator/contracts" ignoreBlocker className={buttonClass()}>
                {t.common.cancel}
              </Link>
              <Button type="submit" variant="primary" isBusy={create.isPending}>
                {t.operator.submit}
              </Button>
            </div>
          </Form>
        </Panel>
      </div>
    </Page>
  );
}

type FieldsProps = { inputs: Inputs; set: (change: Partial<Inputs>) => void };

function CommonFields({ inputs, set, isRejected }: FieldsProps & { isRejected: boolean }) {
  const { t } = useI18n();
  const texts = OPERATOR_CONTRACT_TEXTS[t.language];
  const missing = (party: string) => (isRejected && party === '' ? texts.chooseParty : undefined);
  return (
    <>
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <TextField
          name="external_id"
          label={t.brp.contracts.reference}
          hint={texts.referenceHint}
          autoFocus
          autoComplete="off"
          maxLength={LIMITS.externalIdLength}
          value={inputs.reference}
          onChange={(reference) => set({ reference })}
        />
        <SelectField
          name="type"
          label={t.brp.contracts.type}
          hint={texts.typeHint}
          value={inputs.type}
          options={CONTRACT_TYPES.map((value) => ({ value, label: t.brp.contracts.types[value] }))}
          onChange={(type) => set({ type })}
        />
      </div>
      <ContractPartyField
        name="seller_customer_id"
        label={t.brp.contracts.seller}
        error={missing(inputs.seller)}
        onChange={(seller) => set({ seller })}
      />
      <ContractPartyField
        name="buyer_customer_id"
        label={t.brp.contracts.buyer}
        error={missing(inputs.buyer)}
        onChange={(buyer) => set({ buyer })}
      />
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <DateField
          name="delivery_start"
          label={texts.firstDay}
          value={inputs.firstDay}
          onChange={(firstDay) => set({ firstDay })}
        />
        <DateField
          name="delivery_end"
          label={texts.lastDay}
          hint={texts.lastDayHint}
          value={inputs.lastDay}
          onChange={(lastDay) => set({ lastDay })}
        />
      </div>
    </>
  );
}

type PpaProps = FieldsProps & { terms: Terms; setTerms: (change: Partial<Terms>) => void };

function PpaFields({ inputs, set, terms, setTerms }: PpaProps) {
  const { t } = useI18n();
  const texts = OPERATOR_CONTRACT_TEXTS[t.language];
  const { data: assets = [] } = useQuery(assetsQuery);
  return (
    <div className="grid items-start gap-4 sm:grid-cols-2">
      <SelectField
        name="ppa_type"
        label={t.brp.contracts.ppaType}
        value={inputs.ppaType}
        options={PPA_TYPES.map((value) => ({ value, label: t.brp.contracts.ppaTypes[value] }))}
        onChange={(ppaType) => set({ ppaType })}
      />
      <SelectField
        name="asset_id"
        label={t.brp.contracts.asset}
        value={inputs.asset}
        options={[
          { value: '', label: texts.noAsset },
          ...assets.map(({ id, name, tso }) => ({ value: id, label: `${name} · ${t.common.tsos[tso]}` })),
        ]}
        onChange={(asset) => set({ asset })}
      />
      {Object.entries(terms).map(([name, text]) => (
        <TextField
          key={name}
          name={name}
          label={t.brp.contracts.terms[name as keyof Terms]}
          placeholder={name === 'period' ? '2027–2031' : undefined}
          autoComplete="off"
          maxLength={LIMITS.nameLength}
          value={text}
          onChange={(term) => setTerms({ [name]: term })}
        />
      ))}
    </div>
  );
}
