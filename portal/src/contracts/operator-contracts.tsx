import { Link } from '@tanstack/react-router';
import { useI18n } from '../i18n/i18n.tsx';
import { usePermission } from '../session/session.ts';
import { buttonClass } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';
import { ContractsPage } from './contracts.tsx';
import { OPERATOR_CONTRACT_TEXTS } from './operator-texts.ts';

export const OperatorContractsPage = () => <ContractsPage actions={<NewContractLink />} isSortable />;

function NewContractLink() {
  const { t } = useI18n();
  if (!usePermission('member')) return null;
  return (
    <Link to="/operator/contracts/new" className={buttonClass('primary')}>
      <Icon name="plus" />
      {OPERATOR_CONTRACT_TEXTS[t.language].create}
    </Link>
  );
}
