import type { EventData, SaldoEvent } from '@saldo/api';
import { splitReason } from '@saldo/core/exchange/answer.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useContext } from 'react';
import { dayText } from '../calendar/day-text.ts';
import { useI18n } from '../i18n/i18n.tsx';
import { useGroupLabels } from '../references/group-name.tsx';
import { ContractLink, CustomerLink, NominationLink } from '../references/links.tsx';
import { usePermission, useSession } from '../session/session.ts';
import { endpointsQuery } from '../webhooks/queries.ts';
import { KeysContext } from './keys-context.ts';
import { contractNameQuery, customerNameQuery, seriesNameQuery } from './queries.ts';
import { ACTIVITY_TEXTS } from './texts.ts';

const LINK = 'font-medium text-accent-strong hover:underline';

/** A sentence in two parts: the record as a link, and what happened to it. */
export function Sentence({ event }: { event: SaldoEvent }) {
  const happened = usePredicate()(event);
  return (
    <>
      {/* A name arrives later than its event: however long, it adds no line. */}
      <span className="sm:inline-block sm:max-w-3xl sm:truncate sm:align-bottom">
        <Subject event={event} />
      </span>{' '}
      {happened}
    </>
  );
}

function Subject({ event: { data } }: { event: SaldoEvent }) {
  switch (data.object) {
    case 'nomination':
      return <NominationSubject data={data} />;
    case 'transactions':
      return <TransactionsSubject data={data} />;
    case 'contract':
      return <ContractSubject id={data.id} />;
    case 'customer':
      return <CustomerSubject id={data.id} />;
    case 'balance_group':
      return <GroupSubject eic={data.eic} />;
    case 'api_key':
      return <KeySubject id={data.id} />;
    case 'webhook_endpoint':
      return <WebhookSubject id={data.id} />;
    case 'alarm':
      return <AlarmSubject data={data} />;
    case 'series':
      return <SeriesSubject data={data} />;
    case 'asset':
    case 'demand':
      return data.id;
  }
}

function NominationSubject({ data }: { data: EventData<'nomination.created'> }) {
  const { t, format } = useI18n();
  const { eic, tso, direction, delivery_date, version, id } = data;
  const group = useGroupLabels()(eic);
  const about = { group, tso: t.common.tsos[tso], direction: t.common.directions[direction], version };
  return (
    <NominationLink id={id} className={LINK}>
      {ACTIVITY_TEXTS[format.language].nomination({ ...about, day: dayText(delivery_date, format) })}
    </NominationLink>
  );
}

function TransactionsSubject({ data }: { data: EventData<'transactions.created'> }) {
  const { format } = useI18n();
  const { contract_id, delivery_date, slots } = data;
  const { data: name } = useQuery(contractNameQuery(contract_id));
  return (
    <ContractLink id={contract_id} search={{ day: delivery_date }} className={LINK}>
      {ACTIVITY_TEXTS[format.language].transactions(
        name ?? contract_id,
        dayText(delivery_date, format),
        slots,
      )}
    </ContractLink>
  );
}

/** Only the operator has series. */
function SeriesSubject({ data: { id, delivery_date, slots } }: { data: EventData<'series.updated'> }) {
  const { format } = useI18n();
  const { data: name } = useQuery(seriesNameQuery(id));
  return (
    <Link
      to="/operator/series/$seriesId"
      params={{ seriesId: id }}
      search={{ day: delivery_date }}
      className={LINK}
    >
      {ACTIVITY_TEXTS[format.language].series(name ?? id, dayText(delivery_date, format), slots)}
    </Link>
  );
}

function ContractSubject({ id }: { id: string }) {
  const { format } = useI18n();
  const { data: name } = useQuery(contractNameQuery(id));
  return (
    <ContractLink id={id} className={LINK}>
      {ACTIVITY_TEXTS[format.language].contract(name ?? id)}
    </ContractLink>
  );
}

function CustomerSubject({ id }: { id: string }) {
  const { format } = useI18n();
  const { data: name, isError } = useQuery(customerNameQuery(id));
  const text = ACTIVITY_TEXTS[format.language].customer(name ?? id);
  // The customer of another BRP by now.
  if (isError) return text;
  return (
    <CustomerLink id={id} className={LINK}>
      {text}
    </CustomerLink>
  );
}

function GroupSubject({ eic }: { eic: string }) {
  const { format } = useI18n();
  const text = ACTIVITY_TEXTS[format.language].group(useGroupLabels()(eic));
  const { role } = useSession().user;
  return (
    <Link to={role === 'operator' ? '/operator/balance-groups' : '/balance-groups'} className={LINK}>
      {text}
    </Link>
  );
}

function KeySubject({ id }: { id: string }) {
  const { format } = useI18n();
  const { role } = useSession().user;
  const key = useContext(KeysContext).find((known) => known.id === id);
  return (
    <Link to={role === 'operator' ? '/operator/keys' : '/keys'} className={LINK}>
      {ACTIVITY_TEXTS[format.language].key(key?.name ?? id)}
    </Link>
  );
}

function WebhookSubject({ id }: { id: string }) {
  const { format } = useI18n();
  const { role } = useSession().user;
  const maySee = usePermission('admin') || role === 'operator';
  const { data: endpoints } = useQuery({ ...endpointsQuery, enabled: maySee, refetchInterval: false });
  const url = endpoints?.find((endpoint) => endpoint.id === id)?.url ?? id;
  return (
    <Link
      to={role === 'operator' ? '/operator/webhooks' : '/webhooks'}
      search={{ endpoint: id }}
      className={LINK}
    >
      {ACTIVITY_TEXTS[format.language].webhook(url)}
    </Link>
  );
}

/** Only the operator has alarms. */
function AlarmSubject({ data }: { data: EventData<'exchange.alarm'> }) {
  const { t, format } = useI18n();
  const { kind, tso, delivery_date: day, contract_id: contractId } = data;
  const { data: contract } = useQuery({
    ...contractNameQuery(contractId ?? ''),
    enabled: Boolean(contractId),
  });
  const about = [tso && t.common.tsos[tso], contract ?? contractId, day && dayText(day, format)];
  const text = ACTIVITY_TEXTS[format.language].alarm(
    t.exchange.alarm.kinds[kind],
    about.filter(Boolean).join(', '),
  );
  if (contractId && day !== null)
    return (
      <ContractLink id={contractId} search={{ day }} className={LINK}>
        {text}
      </ContractLink>
    );
  if (tso === null || day === null)
    return (
      <Link to="/" className={LINK}>
        {text}
      </Link>
    );
  return (
    <Link to="/operator/exchange" search={{ day, tso }} className={LINK}>
      {text}
    </Link>
  );
}

/** The text of a type, unless it depends on the data of the event. */
function usePredicate(): (event: SaldoEvent) => string {
  const { t, format } = useI18n();
  const texts = ACTIVITY_TEXTS[format.language].happened;
  const members: Readonly<Record<string, string>> = t.activity.members;
  const quoted = (reason: string) => {
    const { code, text } = splitReason(reason);
    return text === null ? code : texts.reason(code, text);
  };
  const named = (changed: readonly string[]) => changed.map((name) => members[name] ?? name).join(', ');
  return (event) => {
    switch (event.type) {
      case 'nomination.created':
        return event.data.version === 1 ? texts[event.type] : texts.corrected;
      case 'nomination.rejected':
        return texts.rejected(event.data.reasons.map(quoted).join('; '));
      case 'nomination.matched':
        return event.data.is_final ? texts.matched : texts.matchedSoFar;
      case 'nomination.mismatched':
        return event.data.is_final ? texts.mismatched : texts.mismatchedSoFar;
      case 'nomination.gate_closing':
        return texts.gateClosing[event.data.reason](event.data.minutes_left);
      case 'contract.updated':
      case 'customer.updated':
      case 'balance_group.updated':
        return texts.changed(named(event.data.changed));
      case 'api_key.expiring':
        return texts.expiring(format.dateTime(event.data.expires_at));
      case 'exchange.alarm':
        // The event of a missing forecast comes again when it becomes critical.
        return event.data.kind === 'forecast_missing' && event.data.severity === 'critical'
          ? texts.criticalAlarm
          : texts[event.type];
      case 'webhook.disabled':
        return texts.webhookDisabled[event.data.reason];
      default:
        return texts[event.type];
    }
  };
}
