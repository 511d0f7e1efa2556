import { LIMITS, type NewApiKey, OPERATOR_SCOPES, SCOPES, type Scope } from '@saldo/api';
import { addDays, type DeliveryDay, dayStart, formatInstant } from '@saldo/core/delivery-day.ts';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { useToday } from '../session/server-clock.ts';
import { useSession } from '../session/session.ts';
import { useRefresh } from '../session/use-refresh.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import {
  CheckboxGroup,
  DateField,
  Form,
  FormButtons,
  SelectField,
  TextAreaField,
  TextField,
} from '../ui/form.tsx';
import { Secret, SecretDialog } from '../ui/secret-dialog.tsx';
import { useInput } from '../ui/use-input.ts';
import { ownKeysQuery } from './queries.ts';
import { SCOPE_TEXTS } from './scope-texts.ts';
import { KEY_TEXTS } from './texts.ts';

const EXPIRIES = ['never', 'days30', 'days90', 'year', 'date'] as const;
type Expiry = (typeof EXPIRIES)[number];
const EXPIRY_DAYS: Readonly<Partial<Record<Expiry, number>>> = { days30: 30, days90: 90, year: 365 };

/** A key works until the end of its last day, in local time. */
function expiresAt(expiry: Expiry, today: DeliveryDay, chosen: DeliveryDay): string | null {
  if (expiry === 'never') return null;
  const days = EXPIRY_DAYS[expiry];
  const last = days === undefined ? chosen : addDays(today, days);
  return formatInstant(dayStart(addDays(last, 1)));
}

type KeyOwner = NewApiKey['owner']['type'];

/** The scopes of keys by their owner. Keys of accounts have none. */
const SCOPES_OF: Readonly<Record<KeyOwner, readonly Scope[]>> = {
  brp: SCOPES,
  operator: OPERATOR_SCOPES,
  account: [],
};

type KeyInput = {
  readonly name: string;
  /** Null until one was chosen. */
  readonly scopes: readonly Scope[] | null;
  /** One per line. */
  readonly addresses: string;
  readonly expiry: Expiry;
  readonly day: DeliveryDay;
};

const NEW_KEY = {
  name: '',
  scopes: null,
  addresses: '',
  expiry: 'never',
} as const;

const linesOf = (text: string): string[] => text.split(/[\s,;]+/).filter((line) => line !== '');

export type KeySettings<S extends Scope> = {
  name: string;
  scopes?: S[];
  allowed_addresses: string[] | null;
  expires_at: string | null;
};

type CreateProps<S extends Scope> = {
  owner: KeyOwner;
  create: (settings: KeySettings<S>) => Promise<NewApiKey>;
  /** Additional fields, their names, and whether they are complete. */
  children?: ReactNode;
  fields?: readonly string[];
  isReady?: boolean;
  onClose: () => void;
};

/** A form for a new key that then shows its secret. */
export function CreateKeyDialog<S extends Scope>(props: CreateProps<S>) {
  const { owner, create: send, children, fields = [], isReady = true, onClose } = props;
  const { t, format } = useI18n();
  const texts = KEY_TEXTS[t.language];
  const today = useToday();
  const refresh = useRefresh();
  const { input, set } = useInput<KeyInput>({ ...NEW_KEY, day: addDays(today, 30) });
  const { name, addresses, expiry, day } = input;
  const offered = SCOPES_OF[owner];
  const hasScopes = offered.length > 0;
  const chosen = input.scopes ?? offered.filter((scope) => scope === 'read' || scope.endsWith(':read'));
  const scopes = offered.filter((scope) => chosen.includes(scope));
  const create = useMutation({
    mutationFn: (sendNow: () => Promise<NewApiKey>) => sendNow(),
    // The secret does not wait for the list.
    onSettled: () => void refresh(ownKeysQuery.queryKey),
  });
  const submit = () => {
    const given = linesOf(addresses);
    const settings = {
      name,
      allowed_addresses: given.length === 0 ? null : given,
      expires_at: expiresAt(expiry, today, day),
    };
    create.mutate(() => send(hasScopes ? { ...settings, scopes: scopes as S[] } : settings));
  };
  if (create.data) return <KeySecretDialog newKey={create.data} onClose={onClose} />;
  return (
    <Dialog title={texts.createTitle} onClose={onClose}>
      <Form
        error={create.error}
        fields={['name', 'scopes', 'allowed_addresses', 'expires_at', ...fields]}
        onSubmit={submit}
      >
        {children}
        <TextField
          name="name"
          label={texts.name}
          hint={texts.nameHint}
          maxLength={LIMITS.nameLength}
          value={name}
          onChange={(next) => set({ name: next })}
        />
        {hasScopes && (
          <CheckboxGroup
            name="scopes"
            label={texts.scopes}
            value={scopes}
            options={offered.map((scope) => ({
              value: scope,
              label: (
                <span className="flex flex-wrap gap-x-2">
                  {SCOPE_TEXTS[format.language][scope]}
                  <code className="font-mono text-xs text-muted">{scope}</code>
                </span>
              ),
            }))}
            onChange={(next) => set({ scopes: next })}
          />
        )}
        <TextAreaField
          name="allowed_addresses"
          label={texts.addresses}
          hint={texts.addressesHint}
          rows={2}
          maxLength={LIMITS.allowedAddresses.maximum * (LIMITS.allowedAddresses.length + 1)}
          value={addresses}
          onChange={(next) => set({ addresses: next })}
        />
        <div className="grid gap-4 sm:grid-cols-2">
          <SelectField
            name="expires_at"
            label={texts.expiry}
            value={expiry}
            options={EXPIRIES.map((value) => ({ value, label: texts.expiries[value] }))}
            onChange={(next) => set({ expiry: next })}
          />
          {expiry === 'date' && (
            <DateField
              name="expiry_day"
              label={texts.expiryDay}
              min={today}
              value={day}
              onChange={(chosen) => chosen !== '' && set({ day: chosen })}
            />
          )}
        </div>
        <FormButtons
          action={texts.create}
          isBusy={create.isPending}
          disabled={!isReady || (hasScopes && scopes.length === 0)}
          onClose={onClose}
        />
      </Form>
    </Dialog>
  );
}

/** An example operation that the scopes of the key allow. */
const EXAMPLE_REQUESTS: readonly (readonly [Scope, string])[] = [
  ['contracts:read', '/v1/contracts?limit=3'],
  ['nominations:read', '/v1/nominations?limit=3'],
  ['transactions:read', '/v1/transactions?limit=3'],
  ['customers:read', '/v1/customers?limit=3'],
  ['balance_groups:read', '/v1/balance-groups?limit=3'],
];

/** Null for a key that can read nothing. */
function examplePath({ owner, scopes }: NewApiKey, day: DeliveryDay): string | null {
  if (owner.type === 'operator') return scopes.includes('read') ? '/operator/v1/brps?limit=3' : null;
  if (owner.type === 'account') return '/v1/assets?limit=3';
  const [, path] = EXAMPLE_REQUESTS.find(([scope]) => scopes.includes(scope)) ?? [
    null,
    `/v1/delivery-days/${day}`,
  ];
  return path;
}

/** A curl command to copy; the customer API has its own URL. */
function curlOf(newKey: NewApiKey, day: DeliveryDay, customerUrl: string): string | null {
  const base = newKey.owner.type === 'account' ? customerUrl : location.origin;
  const path = examplePath(newKey, day);
  return path && `curl -H 'X-Api-Key: ${newKey.secret}' '${base}${path}'`;
}

/** The references of the APIs by the owner of the key. */
const REFERENCES: Readonly<Record<KeyOwner, string>> = {
  brp: '/docs/reference/brp',
  operator: '/docs/reference/operator',
  account: '/docs/reference/customer',
};
/** Where the pages of the reference look for the key: server/src/docs/assets/own-key.js. */
const REFERENCE_KEY = 'saldo.docs.key';

/** A tab that a page opens gets a copy of its session storage. So the key is in no address, and does not stay in this tab. */
function openReference({ owner, secret }: NewApiKey): void {
  sessionStorage.setItem(REFERENCE_KEY, secret);
  window.open(REFERENCES[owner.type]);
  sessionStorage.removeItem(REFERENCE_KEY);
}

/** Shows a new key, a command to try it, and the reference with it. */
export function KeySecretDialog({ newKey, onClose }: { newKey: NewApiKey; onClose: () => void }) {
  const { t } = useI18n();
  const texts = KEY_TEXTS[t.language];
  const { customer_base_url } = useSession();
  const curl = curlOf(newKey, useToday(), customer_base_url);
  return (
    <SecretDialog title={texts.secretTitle} text={texts.secretText} done={texts.secretDone} onClose={onClose}>
      <Secret label={newKey.name} text={newKey.secret} what={texts.secret} />
      {curl && <Secret label={texts.curl} text={curl} what={texts.curlName} />}
      <div className="grid justify-items-start gap-1">
        <Button icon="external" onClick={() => openReference(newKey)}>
          {texts.reference}
        </Button>
        <p className="text-sm text-muted">{texts.referenceHint}</p>
      </div>
    </SecretDialog>
  );
}
