import type { Contract, Counterparty } from '@saldo/api';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ComponentProps, ReactNode } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { ContractBadge } from '../references/badges.tsx';
import { readContractSearch } from '../references/filters.ts';
import { GroupName } from '../references/group-name.tsx';
import { useRolePath } from '../references/links.tsx';
import type { Versioned } from '../session/versions.ts';
import { ContractVolumes } from '../transactions/contract-day.tsx';
import { useChoices } from '../ui/address.ts';
import { Code } from '../ui/copy.tsx';
import { Fact, Facts, Page, Panel, TrailLink } from '../ui/page.tsx';
import { EmptyState, Loaded, Skeleton } from '../ui/states.tsx';
import { Instant } from '../ui/time.tsx';
import { DeliveryPeriod, termOf } from './contracts.tsx';
import { contractQuery } from './queries.ts';

/** The contract of the page's path. */
export function ContractPage({ children }: { children: (version: Versioned<Contract>) => ReactNode }) {
  const { contractId = '' } = useParams({ strict: false });
  const query = useQuery(contractQuery(contractId));
  return (
    <Loaded query={query} loading={<Skeleton lines={12} />}>
      {children}
    </Loaded>
  );
}

export const BrpContractPage = () => (
  <ContractPage>
    {({ record }) => (
      <ContractView contract={record}>{(props) => <ContractVolumes {...props} />}</ContractView>
    )}
  </ContractPage>
);

type VolumesProps = Pick<ComponentProps<typeof ContractVolumes>, 'contract' | 'search' | 'set'>;

type ViewProps = {
  contract: Contract;
  /** Actions of the role. */
  actions?: ReactNode;
  /** The volumes of a contract that has some. */
  children: (props: VolumesProps) => ReactNode;
};

/** One contract, and its quarter-hour volumes. */
export function ContractView({ contract, actions, children }: ViewProps) {
  const { t } = useI18n();
  const { search, set } = useChoices(readContractSearch);
  return (
    <Page
      title={contract.external_id}
      trail={<TrailLink to={`${useRolePath()}/contracts`} label={t.brp.contracts.title} />}
      badges={<ContractBadge status={contract.status} />}
      actions={actions}
    >
      <ContractFacts contract={contract} />
      {contract.type === 'ppa' ? children({ contract, search, set }) : <NoVolumes />}
    </Page>
  );
}

function NoVolumes() {
  const { t } = useI18n();
  return (
    <Panel title={t.brp.transactions.title}>
      <EmptyState title={t.brp.contracts.noVolumes} />
    </Panel>
  );
}

function Party({ party }: { party: Counterparty }) {
  return (
    <>
      <span className="mr-1.5 font-medium">{party.name}</span>
      <GroupName eic={party.eic} tso={party.tso} />
    </>
  );
}

function ContractFacts({ contract }: { contract: Contract }) {
  const { t, format } = useI18n();
  const { asset, ppa_type, created_at } = contract;
  return (
    <Panel title={t.brp.contracts.facts}>
      <Facts>
        <Fact label={t.brp.contracts.seller}>
          <Party party={contract.seller} />
        </Fact>
        <Fact label={t.brp.contracts.buyer}>
          <Party party={contract.buyer} />
        </Fact>
        <Fact label={t.brp.contracts.type}>{t.brp.contracts.types[contract.type]}</Fact>
        {ppa_type && <Fact label={t.brp.contracts.ppaType}>{t.brp.contracts.ppaTypes[ppa_type]}</Fact>}
        <Fact label={t.brp.contracts.delivery}>
          <DeliveryPeriod contract={contract} />
        </Fact>
        {Object.entries(t.brp.contracts.terms).map(([name, label]) => {
          const text = termOf(contract, name);
          return text === null ? null : (
            <Fact key={name} label={label}>
              {text}
            </Fact>
          );
        })}
        {asset && (
          <Fact label={t.brp.contracts.asset}>
            {asset.name}
            <span className="block text-xs text-muted">
              {`${t.brp.contracts.technologies[asset.technology]} · ${format.number(asset.nominal_power)} MW · ${t.common.tsos[asset.tso]}`}
            </span>
          </Fact>
        )}
        {created_at && (
          <Fact label={t.common.created}>
            <Instant at={created_at} />
          </Fact>
        )}
        <Fact label={t.common.id}>
          <Code text={contract.id} />
        </Fact>
      </Facts>
    </Panel>
  );
}
