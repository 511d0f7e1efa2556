import type { Brp } from '@saldo/api';
import type { ReactNode } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { PartyKeys } from '../keys/operator-keys.tsx';
import { Code } from '../ui/copy.tsx';
import { Fact, Facts, Page, Panel } from '../ui/page.tsx';
import { Instant } from '../ui/time.tsx';
import { PartyUsers } from '../users/users.tsx';

type Props = { type: 'brp' | 'account'; party: Brp; trail: ReactNode; children?: ReactNode };

/** A BRP or an account holder with its records, users and keys. */
export function PartyView({ type, party: { id, name, created_at }, trail, children }: Props) {
  const { t } = useI18n();
  return (
    <Page title={name} trail={trail}>
      <Panel>
        <Facts>
          <Fact label={t.common.created}>
            <Instant at={created_at} withUtc />
          </Fact>
          <Fact label={t.common.id}>
            <Code text={id} />
          </Fact>
        </Facts>
      </Panel>
      {children}
      <PartyUsers owner={{ role: type, id }} />
      <PartyKeys type={type} id={id} />
    </Page>
  );
}
