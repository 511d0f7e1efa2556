import { hash } from 'node:crypto';
import { CODES } from '@saldo/core/exchange/documents/codes.ts';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { inForce, type MarketRules, type PartyNumber, tsoCodes } from '@saldo/core/market-rules.ts';
import type { OutgoingMessage } from './transport.ts';

/** The sender of messages, and the rules with the codes and numbers of both parties. */
export type Sender = { readonly operatorEic: string; readonly rules: MarketRules };

/** Type codes of the documents that we send, by the type of the message. */
const DOCUMENT_TYPES: Readonly<Record<string, string>> = {
  schedule: CODES.schedule.type,
  status_request: CODES.statusRequest.type,
};

/** The number of a document without versions, a status request. */
const UNVERSIONED = 1;

/** The properties of a message for an AS4 gateway, which cannot take them from a file name. */
export function writeSidecar(message: OutgoingMessage, { operatorEic, rules }: Sender): Buffer {
  const { id, type, tso, day, version, document } = message;
  const documentType = DOCUMENT_TYPES[type];
  if (documentType === undefined) throw new Error(`a message of type ${type} is never sent`);
  const receiver = tsoCodes(rules, tso, day);
  const properties = {
    message_id: encodeId(ID_PREFIX.message, id),
    document_type: documentType,
    document_no: version ?? UNVERSIONED,
    fulfillment_date: day,
    subject_party_id: operatorEic,
    subject_party_role: CODES.role.operator,
    sender: party(operatorEic, inForce(rules.operator, day).partyNumber),
    receiver: party(receiver.party, receiver.partyNumber),
    sha256: hash('sha256', document),
  };
  return Buffer.from(`${JSON.stringify(properties, null, 2)}\n`);
}

/** A number is null where the rules have none. */
const party = (eic: string, known: PartyNumber | null) => ({
  eic,
  number: known?.number ?? null,
  authority: known?.authority ?? null,
});
