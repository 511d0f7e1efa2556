import type { Message, MessageKey } from '../messages/message.ts';
import type { SCHEDULE_RULE_TEXTS } from '../messages/schedule-rules.ts';

/** The reason code with which a TSO rejects what breaks the rule. */
export type RuleCode = keyof typeof SCHEDULE_RULE_TEXTS extends `rule.${infer Code}` ? Code : never;

/** The code of each fault of a document that is not about its structure. */
const CODE_OF_FAULT: Readonly<Partial<Record<MessageKey, RuleCode>>> = {
  'document.interval_form': 'A04',
  'document.interval': 'A04',
  'document.interval_length': 'A04',
  'document.period': 'A04',
  'document.resolution': 'A41',
  'document.quantity': 'A42',
  'document.csv_number': 'A42',
  'document.csv_value': 'A42',
  'document.negative_power': 'A46',
  'document.negative': 'A46',
  'document.slot_missing': 'A49',
  'document.position': 'A49',
  'document.position_twice': 'A49',
  'document.position_missing': 'A49',
  'document.position_form': 'A49',
  'document.position_beyond': 'A49',
  'document.csv_slot': 'A49',
  'document.csv_slot_twice': 'A49',
  'document.csv_time': 'A49',
  'document.csv_incomplete': 'A49',
  'document.version': 'A50',
  'document.receiver': 'A53',
  'document.twice': 'A55',
  'document.flow': 'A69',
  'document.lacks': 'A69',
  'document.no_value': 'A69',
};

/** The code of a field with a wrong code. Without an entry it is A59. */
const CODE_OF_FIELD: Readonly<Partial<Record<MessageKey, RuleCode>>> = {
  'document.field_businessType': 'A62',
  'document.field_senderRole': 'A78',
  'document.field_receiverRole': 'A53',
  'document.field_process': 'A79',
  'document.field_domain': 'A82',
};

/** By the names of the elements in ESS and CIM. */
const CODE_OF_EIC: readonly (readonly [RegExp, RuleCode])[] = [
  [/^sender/i, 'A78'],
  [/^receiver/i, 'A53'],
  [/area|domain/i, 'A23'],
];

/** The code for which a TSO rejects a document with this fault. The innermost part that has a code decides. */
export const ruleOfFault = (fault: Message): RuleCode => findCode(fault) ?? 'A94';

function findCode(fault: Message): RuleCode | null {
  const inner = 'fault' in fault && typeof fault.fault === 'object' ? findCode(fault.fault as Message) : null;
  if (inner !== null) return inner;
  switch (fault.key) {
    case 'document.code':
      return CODE_OF_FIELD[(fault.field as Message).key] ?? 'A59';
    case 'document.no_eic':
    case 'document.eic_scheme':
      return CODE_OF_EIC.find(([form]) => form.test(String(fault.element)))?.[1] ?? 'A22';
    default:
      return CODE_OF_FAULT[fault.key] ?? null;
  }
}
