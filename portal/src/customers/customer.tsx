import { type BalanceGroup, type Customer, TSOS, type Tso } from '@saldo/api';
import { isProblem } from '@saldo/sdk';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { CustomerBadge } from '../references/badges.tsx';
import { groupOptions, type NamedGroup } from '../references/filter-fields.tsx';
import { GroupName, useGroupLabels } from '../references/group-name.tsx';
import { useRolePath } from '../references/links.tsx';
import { balanceGroupsQuery } from '../references/queries.ts';
import { usePermission } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { ConflictNotice } from '../ui/conflict.tsx';
import { Code } from '../ui/copy.tsx';
import { Form, SelectField } from '../ui/form.tsx';
import { Fact, Facts, Page, Panel, TrailLink } from '../ui/page.tsx';
import { Loaded, Skeleton } from '../ui/states.tsx';
import { Instant } from '../ui/time.tsx';
import { useToast } from '../ui/toast.tsx';
import { useOthersChange } from '../ui/use-input.ts';
import { CustomerChangeDialog, useCustomerChange } from './customer-change.tsx';
import { describeCustomer } from './customer-update.ts';
import { MetadataEditor } from './metadata-editor.tsx';
import { PlacementsPanel } from './placements.tsx';
import { brpOf, customerQuery } from './queries.ts';
import { CUSTOMER_TEXTS } from './texts.ts';

export type CustomerProps = { customer: Customer; etag: string | null };

/** The customer of the page's path. */
export function CustomerPage({ children }: { children: (props: CustomerProps) => ReactNode }) {
  const { customerId = '' } = useParams({ strict: false });
  const query = useQuery(customerQuery(customerId));
  return (
    <Loaded query={query} loading={<Skeleton lines={10} />}>
      {({ record, etag }) => children({ customer: record, etag })}
    </Loaded>
  );
}

export const BrpCustomerPage = () => <CustomerPage>{(props) => <BrpCustomer {...props} />}</CustomerPage>;

function BrpCustomer(props: CustomerProps) {
  const { t } = useI18n();
  const groups = useQuery(balanceGroupsQuery);
  return <CustomerView {...props} groups={groups} groupText={CUSTOMER_TEXTS[t.language].balanceGroupText} />;
}

type OfferedGroup = NamedGroup & { readonly tsos: readonly Tso[] };

type ViewProps = CustomerProps & {
  /** The balance groups that the customer can be moved to. */
  groups: UseQueryResult<readonly OfferedGroup[]>;
  groupText: string;
  /** Facts and actions of the role, in front of those that all roles have. */
  facts?: ReactNode;
  actions?: ReactNode;
  /** What the role sees below. */
  children?: ReactNode;
};

/** A customer with its balance group, its placements and its metadata. */
export function CustomerView({ customer, etag, groups, groupText, facts, actions, children }: ViewProps) {
  const { t } = useI18n();
  const mayChange = usePermission('member');
  return (
    <Page
      title={customer.name}
      trail={<TrailLink to={`${useRolePath()}/customers`} label={CUSTOMER_TEXTS[t.language].title} />}
      badges={<CustomerBadge status={customer.status} />}
      actions={
        <>
          {actions}
          {mayChange && <StatusButtons customer={customer} etag={etag} />}
        </>
      }
    >
      <CustomerFacts customer={customer}>{facts}</CustomerFacts>
      <div className="grid items-start gap-4 xl:grid-cols-2">
        <div className="grid gap-4">
          {/* The form of another BRP starts anew. */}
          <Panel key={brpOf(customer)} title={t.common.balanceGroup} text={groupText}>
            {mayChange ? (
              <Loaded query={groups} loading={<Skeleton lines={3} />}>
                {(offered) => <BalanceGroupForm customer={customer} etag={etag} groups={offered} />}
              </Loaded>
            ) : (
              <CurrentGroup group={customer.balance_group} />
            )}
          </Panel>
          <PlacementsPanel customerId={customer.id} />
        </div>
        <MetadataEditor customer={customer} etag={etag} />
      </div>
      {children}
    </Page>
  );
}

function CustomerFacts({ customer, children }: { customer: Customer; children?: ReactNode }) {
  const { t } = useI18n();
  return (
    <Panel>
      <Facts>
        {children}
        <Fact label={CUSTOMER_TEXTS[t.language].assigned}>
          <Instant at={customer.assigned_at} withUtc />
        </Fact>
        <Fact label={CUSTOMER_TEXTS[t.language].activated}>
          {customer.activated_at ? <Instant at={customer.activated_at} withUtc /> : t.common.notYet}
        </Fact>
        <Fact label={t.common.created}>
          <Instant at={customer.created_at} withUtc />
        </Fact>
        <Fact label={t.common.id}>
          <Code text={customer.id} />
        </Fact>
      </Facts>
    </Panel>
  );
}

function StatusButtons({ customer, etag }: CustomerProps) {
  const { t } = useI18n();
  const toast = useToast();
  const texts = CUSTOMER_TEXTS[t.language];
  const change = useCustomerChange(customer, etag, ({ name, status }) =>
    toast(status === 'active' ? texts.activatedToast(name) : texts.deactivatedToast(name)),
  );
  const isActivation = change.asked?.status === 'active';
  return (
    <>
      {customer.status !== 'active' && (
        <Button variant="primary" icon="check" onClick={() => change.ask({ status: 'active' })}>
          {texts.activate}
        </Button>
      )}
      {customer.status !== 'deactivated' && (
        <Button onClick={() => change.ask({ status: 'deactivated' })}>{texts.deactivate}</Button>
      )}
      {change.asked && (
        <CustomerChangeDialog
          title={isActivation ? texts.activateTitle(customer.name) : texts.deactivateTitle(customer.name)}
          text={isActivation ? texts.activateText : texts.deactivateText}
          action={isActivation ? texts.activate : texts.deactivate}
          isDangerous={!isActivation}
          change={change}
        />
      )}
    </>
  );
}

function CurrentGroup({ group }: { group: BalanceGroup | null }) {
  const { t } = useI18n();
  if (!group) return <p className="text-sm text-muted">{CUSTOMER_TEXTS[t.language].noBalanceGroup}</p>;
  return (
    <div className="text-sm">
      <GroupName {...group} />
    </div>
  );
}

type GroupFormProps = CustomerProps & { groups: readonly OfferedGroup[] };

function BalanceGroupForm({ customer, etag, groups }: GroupFormProps) {
  const { t } = useI18n();
  const toast = useToast();
  const labelOf = useGroupLabels();
  const [eic, setEic] = useState(customer.balance_group?.eic ?? '');
  const [tso, setTso] = useState<Tso | ''>(customer.balance_group?.tso ?? '');
  const change = useCustomerChange(customer, etag, () => toast(CUSTOMER_TEXTS[t.language].saved));
  const enabled = groups.find((group) => group.eic === eic)?.tsos ?? [];
  const isChangedFrom = ({ balance_group }: Customer) =>
    eic !== (balance_group?.eic ?? '') || tso !== (balance_group?.tso ?? '');
  const isChanged = isChangedFrom(customer);
  const take = ({ balance_group }: Customer) => {
    setEic(balance_group?.eic ?? '');
    setTso(balance_group?.tso ?? '');
  };
  const started = useOthersChange(customer, {
    isChangedFrom,
    rebase: (base, stored) => isChangedFrom(base) || take(stored),
  });
  const choose = {
    value: '' as const,
    label: CUSTOMER_TEXTS[t.language].chooseBalanceGroup,
    isDisabled: true,
  };
  const formError = change.isRejected ? change.error : null;
  const error = isProblem(formError, 'balance_group_tso_not_enabled') ? formError.message : undefined;
  return (
    <>
      <Form
        error={error === undefined ? formError : null}
        fields={['balance_group.eic', 'balance_group.tso']}
        isUnsaved={isChanged}
        onSubmit={() => eic !== '' && tso !== '' && change.ask({ balance_group: { eic, tso } })}
      >
        <ConflictNotice
          recordId={customer.id}
          started={started}
          current={customer}
          describe={describeCustomer(t)}
          onReset={() => take(customer)}
        />
        <SelectField
          name="balance_group.eic"
          label={t.common.balanceGroup}
          value={eic}
          options={[choose, ...groupOptions(groups)]}
          onChange={setEic}
        />
        <SelectField
          name="balance_group.tso"
          label={t.common.controlArea}
          value={tso}
          error={error}
          options={[
            choose,
            ...TSOS.map((value) => ({
              value,
              label: enabled.includes(value)
                ? t.common.tsos[value]
                : `${t.common.tsos[value]} (${CUSTOMER_TEXTS[t.language].notEnabled})`,
            })),
          ]}
          onChange={setTso}
        />
        <div>
          <Button type="submit" variant="primary" disabled={!isChanged || eic === '' || tso === ''}>
            {CUSTOMER_TEXTS[t.language].preview}
          </Button>
        </div>
      </Form>
      {change.asked && !change.isRejected && tso !== '' && (
        <CustomerChangeDialog
          title={CUSTOMER_TEXTS[t.language].moveTitle(customer.name)}
          text={CUSTOMER_TEXTS[t.language].moveText(labelOf(eic), t.common.tsos[tso])}
          action={CUSTOMER_TEXTS[t.language].move}
          change={change}
        />
      )}
    </>
  );
}
