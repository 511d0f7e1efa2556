import type { DeliveryDay } from '../delivery-day.ts';
import type { Tso } from '../enums.ts';
import { controlAreas, type MarketRules } from '../market-rules.ts';
import type { Message } from '../messages/message.ts';
import type { UnusableSeries } from './answer.ts';
import { type RuleCode, ruleOfFault } from './rule-of-fault.ts';
import { namedImbalances, type Schedule, type Series, unbalancedSlots } from './schedule.ts';
import { isSameAsBefore, type SubmittedFile, type SubmittedSeries } from './submitted-file.ts';

export type Finding = {
  readonly code: RuleCode;
  /** Identification of the series; null if the finding is about the whole file. */
  readonly series: string | null;
  /** The quarter-hours that the finding is about; empty if it is about all of them. */
  readonly slots: readonly number[];
  readonly text: Message;
};

/** A schedule as it was read, and what the balance group has submitted for its day. */
export type RuleInput = {
  readonly schedule: Schedule;
  readonly unusable: readonly UnusableSeries[];
  /** Sentences without full stop about codes of the head. */
  readonly headFaults: readonly Message[];
  readonly rules: MarketRules;
  /** A file with only series against this party is the platform's export, which its balance group completes. */
  readonly exportedAgainst: string | null;
  /** The file that was submitted last to the same TSO. */
  readonly previous: SubmittedFile | null;
  /** The files that were submitted last to the other TSOs. */
  readonly elsewhere: readonly SubmittedFile[];
};

type Found = Omit<Finding, 'code'>;
type Rule = (input: RuleInput) => readonly Found[];

/**
 * The rules, each by its code. Every rule also has the faults that the reader of the document has found, by the code that
 * `ruleOfFault` gives them; a rule without a function has only those.
 */
const FURTHER_RULES: Readonly<Partial<Record<RuleCode, Rule>>> = {
  A09: mirroredBridges,
  A22: parties,
  A50: seriesVersions,
  A51: messageVersion,
  A52: vanishedSeries,
  A54: netToZero,
  A55: flowsOnce,
  A82: areas,
};

/** Everything for which a TSO would reject the schedule, sorted by code. */
export function findingsOf(input: RuleInput): Finding[] {
  const faults = [
    ...input.headFaults.map((fault) => findingOfFault(fault)),
    ...input.unusable.map(({ identification, slot, fault }) =>
      findingOfFault(fault, identification, slot ?? null),
    ),
  ];
  const further = Object.entries(FURTHER_RULES).flatMap(([code, find]) =>
    find(input).map((found) => ({ ...found, code: code as RuleCode })),
  );
  return [...faults, ...further].toSorted((one, other) => (one.code < other.code ? -1 : 1));
}

/** The finding that a fault of a document is. */
export function findingOfFault(
  fault: Message,
  series: string | null = null,
  slot: number | null = null,
): Finding {
  // The finding names its series itself.
  const own = fault.key === 'document.within' && series !== null ? (fault.fault as Message) : fault;
  const text = { key: 'finding.fault', fault: own } as const;
  return { code: ruleOfFault(fault), series, slots: slot === null ? [] : [slot], text };
}

const INNER_TYPES: readonly string[] = ['A01', 'A02', 'A04'];
/** Several series with explicit capacity have the same flow, with different agreements. */
const TYPES_WITH_AGREEMENTS: readonly string[] = ['A03', 'A05'];

const of = (series: Series, text: Message, slots: readonly number[] = []): Found => ({
  series: series.identification,
  slots,
  text,
});

/** A series that cannot be read may be the one that balances the others. */
function netToZero({ schedule, unusable, exportedAgainst }: RuleInput): Found[] {
  const isExport = schedule.series.every(({ outParty, inParty }) =>
    [outParty, inParty].includes(exportedAgainst ?? ''),
  );
  if (unusable.length > 0 || isExport) return [];
  const { series, codes, operatorEic: eic, tso, day } = schedule;
  const found = unbalancedSlots(series, codes, eic, day);
  return found.length === 0 ? [] : [imbalance(eic, tso, found)];
}

export const imbalance = (eic: string, tso: Tso, found: ReturnType<typeof unbalancedSlots>): Found => ({
  series: null,
  slots: found.map(({ slot }) => slot),
  text: { key: 'finding.imbalance', eic, tso, slots: namedImbalances(found) },
});

function parties({ schedule, headFaults, rules }: RuleInput): Found[] {
  const { operatorEic: sender, series, day } = schedule;
  const german = new Set(controlAreas(rules, day).map(({ area }) => area));
  const isSenderFaulty = headFaults.some((fault) => ruleOfFault(fault) === 'A78');
  return series.flatMap((one): Found[] => {
    const { outParty, inParty, outArea, inArea, businessType } = one;
    if (outParty !== sender && inParty !== sender) {
      if (isSenderFaulty) return [];
      return [of(one, { key: 'finding.sender_no_party', sender, outParty, inParty })];
    }
    if (INNER_TYPES.includes(businessType))
      return outParty === inParty ? [of(one, { key: 'finding.same_party', party: outParty })] : [];
    const isBridge = outArea !== inArea && german.has(outArea) && german.has(inArea);
    return isBridge && outParty !== inParty
      ? [of(one, { key: 'finding.bridge_parties', outParty, inParty })]
      : [];
  });
}

function areas({ schedule }: RuleInput): Found[] {
  const { series, codes, tso } = schedule;
  const { area } = codes;
  return series.flatMap((one): Found[] => {
    const { outArea, inArea, businessType } = one;
    const isInner = INNER_TYPES.includes(businessType);
    const count = [outArea, inArea].filter((each) => each === area).length;
    if (count === (isInner ? 2 : 1)) return [];
    const key = isInner ? 'finding.inner_areas' : 'finding.outer_areas';
    return [of(one, { key, outArea, inArea, businessType, area, tso })];
  });
}

function flowsOnce({ schedule }: RuleInput): Found[] {
  const seen = new Map<string, string>();
  return schedule.series.flatMap((one): Found[] => {
    const { businessType, outParty, outArea, inParty, inArea, identification } = one;
    if (TYPES_WITH_AGREEMENTS.includes(businessType)) return [];
    const flow = [businessType, outParty, outArea, inParty, inArea].join(' ');
    const other = seen.get(flow);
    if (other !== undefined) return [of(one, { key: 'finding.flow_twice', other })];
    seen.set(flow, identification);
    return [];
  });
}

/** The submitted series by identification, unless the checked file is older than the submitted one. */
function seriesBefore({ schedule, previous }: RuleInput): ReadonlyMap<string, SubmittedSeries> | null {
  if (previous === null || schedule.version < previous.version) return null;
  return new Map(previous.series.map((series) => [series.identification, series]));
}

function seriesVersions(input: RuleInput): Found[] {
  const { version: message, series } = input.schedule;
  const before = seriesBefore(input);
  return series.flatMap((one): Found[] => {
    const { version } = one;
    if (version > message) return [of(one, { key: 'finding.series_version_beyond', version, message })];
    if (before === null || input.previous === null) return [];
    const submitted = before.get(one.identification);
    const messageBefore = input.previous.version;
    if (submitted !== undefined && version < submitted.version)
      return [of(one, { key: 'finding.series_version_fallen', version, before: submitted.version })];
    if (version === message || (submitted !== undefined && isSameAsBefore(one, submitted))) return [];
    const key = submitted === undefined ? 'finding.series_version_new' : 'finding.series_version_changed';
    return [of(one, { key, version, message, before: messageBefore })];
  });
}

function messageVersion({ schedule, unusable, previous }: RuleInput): Found[] {
  if (previous === null) return [];
  const { version, messageId, series } = schedule;
  const found: Message[] = [];
  if (messageId !== previous.messageId)
    found.push({ key: 'finding.message_id', messageId, before: previous.messageId });
  if (version < previous.version)
    found.push({ key: 'finding.message_version_fallen', version, before: previous.version });
  if (version === previous.version) {
    const before = new Map(previous.series.map((one) => [one.identification, one]));
    const isSame =
      unusable.length === 0 &&
      series.length === before.size &&
      series.every((one) => {
        const submitted = before.get(one.identification);
        return submitted !== undefined && isSameAsBefore(one, submitted);
      });
    // The submitted file itself may be checked again.
    if (!isSame) found.push({ key: 'finding.message_version_same', version, next: version + 1 });
  }
  return found.map((text) => ({ series: null, slots: [], text }));
}

function vanishedSeries(input: RuleInput): Found[] {
  const before = seriesBefore(input);
  if (before === null || input.previous === null) return [];
  const present = new Set(
    [...input.schedule.series, ...input.unusable].map(({ identification }) => identification),
  );
  const text = { key: 'finding.vanished', before: input.previous.version } as const;
  return [...before.keys()]
    .filter((identification) => !present.has(identification))
    .map((series) => ({ series, slots: [], text }));
}

/** A series between two control areas stands in both files. A file that lacks it has zeros. */
function mirroredBridges({ schedule, rules, elsewhere }: RuleInput): Found[] {
  const { series, codes, day } = schedule;
  return elsewhere.flatMap((file) => {
    const other = areaOf(file.tso, rules, day);
    const isBetween = ({ outArea, inArea }: { outArea: string; inArea: string }) =>
      (outArea === codes.area && inArea === other) || (outArea === other && inArea === codes.area);
    const theirs = new Map(
      file.series.flatMap(({ bridge }) =>
        bridge !== null && isBetween(bridge) ? [[bridge.outArea, bridge.powersKw] as const] : [],
      ),
    );
    return series.flatMap((one): Found[] => {
      if (one.businessType !== 'A06' || !isBetween(one)) return [];
      const mirrored = theirs.get(one.outArea);
      const slots = one.powersKw.flatMap((powerKw, at) =>
        powerKw === (mirrored?.[at] ?? 0) ? [] : [at + 1],
      );
      return slots.length === 0 ? [] : [of(one, { key: 'finding.not_mirrored', tso: file.tso }, slots)];
    });
  });
}

function areaOf(tso: Tso, rules: MarketRules, day: DeliveryDay): string | undefined {
  return controlAreas(rules, day).find((one) => one.tso === tso)?.area;
}
