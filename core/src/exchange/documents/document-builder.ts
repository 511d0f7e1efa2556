import type { DeliveryDay } from '../../delivery-day.ts';
import type { DocumentKind, MessageFormat, Tso } from '../../enums.ts';
import { findAreaByParty, type MarketRules, tsoCodes } from '../../market-rules.ts';
import type { Message } from '../../messages/message.ts';
import type {
  Acknowledgement,
  AnomalySide,
  AnsweredMessage,
  ConfirmedSeries,
  ImposedSeries,
  UnusableSeries,
} from '../answer.ts';
import { BUSINESS_TYPES, type BusinessType, OPERATOR_BUSINESS_TYPES, type Series } from '../schedule.ts';
import { ACKNOWLEDGEMENT_CODES, CODES, CONFIRMATION_CODES, CONFIRMATION_TYPES, meaningOf } from './codes.ts';
import type { ExchangeDocument, Recognised, ScheduleReading } from './document.ts';
import { messageOfFile } from './file-names.ts';
import {
  allReasons,
  answeredSeries,
  createdAt,
  dayOfMessageId,
  expectCode,
  expectOneOf,
  identificationOf,
  isVersion,
  MAX_FOREIGN_IDENTIFICATION,
  nameOf,
  readRaw,
  reasonOf,
  reasonsOf,
  singleOutcome,
  unknownCode,
  versionOf,
} from './read-fields.ts';
import { dayOfInterval, slotValues } from './slots.ts';
import {
  type DocumentForm,
  type ElementOrder,
  type Fields,
  findText,
  groupsOf,
  type Part,
  readGroup,
  readValue,
  Sequence,
  textOf,
  type Vocabulary,
} from './vocabulary.ts';
import { type XmlElement, XmlFault } from './xml.ts';

/** Limit of the reasons in the head of an answer. */
const MAX_HEAD_REASONS = 1000;
/** Limit of the unusable series of a schedule. Bounds the memory of a hostile document. */
const MAX_UNUSABLE = 10_000;
/** Number of unknown elements that are named. Bounds the memory of a hostile document. */
const MAX_UNKNOWN = 20;

/**
 * Builds a document from the children of its root, one by one. Each series is converted to numbers at once, so that a
 * huge document takes little memory while it is read.
 */
export class DocumentBuilder {
  private readonly head: { [field: string]: string | Fields[] } = {};
  private day: DeliveryDay | null = null;
  private readonly series: Series[] = [];
  private readonly confirmed: ConfirmedSeries[] = [];
  private readonly imposed: ImposedSeries[] = [];
  private readonly sides: AnomalySide[] = [];
  private readonly rejected: Acknowledgement['rejectedSeries'][number][] = [];
  private readonly unusable: UnusableSeries[] = [];
  private readonly headFaults: Message[] = [];
  private readonly seen = new Set<string>();
  private readonly unknown = new Set<string>();
  private readonly sequence: Sequence;
  private readonly order: ElementOrder;
  /** Whether series stand before the interval of their day: they are read in a second pass. */
  private hasEarlySeries = false;
  private readonly format: MessageFormat;
  private readonly vocabulary: Vocabulary;
  private readonly kind: DocumentKind;
  private readonly rules: MarketRules;
  private readonly reading: ScheduleReading;

  constructor(
    format: MessageFormat,
    vocabulary: Vocabulary,
    kind: DocumentKind,
    form: DocumentForm,
    rules: MarketRules,
    reading: ScheduleReading,
  ) {
    this.format = format;
    this.vocabulary = vocabulary;
    this.kind = kind;
    this.rules = rules;
    this.reading = reading;
    this.order = kind === 'schedule' ? 'strict' : 'any';
    this.sequence = new Sequence(form.root, form.parts, this.order);
  }

  add(element: XmlElement): void {
    // An unknown element says nothing that the platform uses. The head of a schedule has no room for others.
    if (this.order === 'any' && this.sequence.find(element) === null) {
      if (this.unknown.size < MAX_UNKNOWN) this.unknown.add(element.name);
      return;
    }
    const part = this.sequence.accept(element);
    if (part.kind === 'group' || part.kind === 'merged') {
      this.addGroup(part.field, part.parts, element);
      return;
    }
    const value = this.readHeadValue(part, element);
    this.head[part.field] = value;
    if (part.field === 'interval') this.day = dayOfInterval(value);
  }

  /** The parties of a checked schedule are used as they are: a wrong check character hides no other fault. */
  private readHeadValue(part: Part, element: XmlElement): string {
    let value = element.attributes.get('v')?.trim() ?? element.text;
    if (part.kind !== 'eic' || value === '') return readValue(this.vocabulary, part, element);
    this.inHead(() => {
      value = readValue(this.vocabulary, part, element);
    });
    return value;
  }

  /** A fault of the head ends the reading, unless the schedule is only checked. */
  private inHead(check: () => void): void {
    try {
      check();
    } catch (error) {
      if (!(error instanceof XmlFault) || this.kind !== 'schedule' || this.reading === 'whole') throw error;
      this.headFaults.push(error.fault);
    }
  }

  /** Whether `addEarly` has to be called with all elements again, before `finish`. */
  get needsSecondPass(): boolean {
    return this.hasEarlySeries && this.day !== null;
  }

  /** Adds the element in the second pass, if it is a series before the interval. Returns false after the last of them. */
  addEarly(element: XmlElement): boolean {
    const part = this.sequence.find(element);
    if (part?.field === 'interval') return false;
    if (part?.kind === 'group' && isSeries(part.field)) this.readSeries(part.field, part.parts, element);
    return true;
  }

  private addGroup(field: string, parts: readonly Part[], element: XmlElement): void {
    if (isSeries(field)) {
      if (this.day === null && this.kind !== 'acknowledgement') this.hasEarlySeries = true;
      else this.readSeries(field, parts, element);
      return;
    }
    const groups = (this.head[field] ??= []) as Fields[];
    if (groups.length === MAX_HEAD_REASONS) {
      throw new XmlFault({ key: 'document.reasons', max: MAX_HEAD_REASONS }, element.at);
    }
    groups.push(readGroup(this.vocabulary, parts, element, this.order));
  }

  private readSeries(field: string, parts: readonly Part[], element: XmlElement): void {
    try {
      this.addSeries(field, readGroup(this.vocabulary, parts, element, this.order));
    } catch (error) {
      if (!(error instanceof XmlFault)) throw error;
      const series = readRaw(parts, element);
      const fault = error.within(nameOf(series, element));
      const mustBeUsable =
        this.kind === 'schedule' && (this.reading === 'whole' || this.unusable.length === MAX_UNUSABLE);
      if (mustBeUsable || this.kind === 'acknowledgement') throw fault;
      // A series of other parties may be anything. Whether this one is ours is decided when the answer is applied.
      this.unusable.push({ ...series, fault: fault.fault, slot: fault.slot });
    }
  }

  private addSeries(field: string, fields: Fields): void {
    const identification = textOf(fields, 'identification');
    if (identification.length > MAX_FOREIGN_IDENTIFICATION) {
      throw new XmlFault({ key: 'document.long_series_identification', max: MAX_FOREIGN_IDENTIFICATION });
    }
    this.rejectDuplicate(`${field} ${findText(fields, 'party') ?? ''} ${identification}`);
    if (field === 'rejections') this.rejected.push({ identification, reasons: allReasons(fields) });
    else if (field === 'imposed') this.imposed.push(this.imposedSeries(fields));
    else if (field === 'sides') this.sides.push(this.anomalySide(fields));
    else if (this.kind === 'schedule') this.series.push(this.scheduledSeries(fields));
    else this.confirmed.push(this.confirmedSeries(fields));
  }

  /** Names of elements of the root that are not part of the document's schema, the first ones. */
  get unknownElements(): readonly string[] {
    return [...this.unknown];
  }

  /** The complete document, after the end of its root. */
  finish(end: number): ExchangeDocument {
    this.sequence.finish(end);
    switch (this.kind) {
      case 'schedule':
        return this.schedule();
      case 'acknowledgement':
        return this.acknowledgement();
      case 'confirmation':
        return this.confirmation();
      case 'anomaly':
        return this.anomaly();
    }
  }

  recognised(): Recognised {
    const isSchedule = this.kind === 'schedule';
    const messageId = findText(this.head, isSchedule ? 'id' : 'answeredId');
    const version = findText(this.head, isSchedule ? 'version' : 'answeredVersion');
    return {
      format: this.format,
      type: this.kind,
      tso: this.findTso(),
      day: this.day ?? dayOfMessageId(messageId),
      messageId,
      version: version !== null && isVersion(version) ? Number(version) : null,
    };
  }

  private findTso(): Tso | null {
    const party = findText(this.head, this.kind === 'schedule' ? 'receiver' : 'sender');
    return party === null ? null : (findAreaByParty(this.rules, party)?.tso ?? null);
  }

  private schedule(): ExchangeDocument {
    const { head } = this;
    this.inHead(() => expectCode('type', head, CODES.schedule.type));
    this.inHead(() => expectCode('process', head, CODES.schedule.process));
    this.inHead(() => expectCode('classification', head, CODES.schedule.classification));
    this.inHead(() => expectCode('senderRole', head, CODES.role.operator));
    this.inHead(() => expectCode('receiverRole', head, CODES.role.tso));
    const tso = this.findTso();
    if (tso === null) throw new XmlFault({ key: 'document.receiver', receiver: textOf(head, 'receiver') });
    const day = this.dayOfHead();
    const codes = tsoCodes(this.rules, tso, day);
    if (findText(head, 'domain') !== null)
      this.inHead(() => expectOneOf('domain', textOf(head, 'domain'), [codes.area]));
    const schedule = {
      operatorEic: textOf(head, 'sender'),
      tso,
      codes,
      day,
      messageId: identificationOf(head, 'id'),
      version: versionOf(head, 'version'),
      series: this.series,
    };
    const { unusable, headFaults } = this;
    return { kind: 'schedule', createdAt: createdAt(head), schedule, unusable, headFaults };
  }

  private acknowledgement(): ExchangeDocument {
    const reasons = allReasons(this.head);
    const outcomes = groupsOf(this.head, 'reasons').flatMap(
      (reason) => meaningOf(ACKNOWLEDGEMENT_CODES, textOf(reason, 'code')) ?? [],
    );
    const outcome = singleOutcome(outcomes, ACKNOWLEDGEMENT_CODES);
    return { kind: 'acknowledgement', ...this.answerHead(), outcome, reasons, rejectedSeries: this.rejected };
  }

  private confirmation(): ExchangeDocument {
    const type = meaningOf(CONFIRMATION_TYPES, textOf(this.head, 'type'));
    if (type === null)
      throw unknownCode('confirmation', textOf(this.head, 'type'), Object.keys(CONFIRMATION_TYPES));
    const reasons = reasonsOf(this.head);
    const outcomes = reasons.flatMap(({ code }) => meaningOf(CONFIRMATION_CODES, code) ?? []);
    return {
      kind: 'confirmation',
      ...this.answerHead(),
      day: this.dayOfHead(),
      isFinal: type === 'final',
      outcome: singleOutcome(outcomes, CONFIRMATION_CODES),
      reasons,
      series: this.confirmed,
      imposed: this.imposed,
      unusable: this.unusable,
    };
  }

  /** An anomaly report names its message in the receiver's own side of a series. */
  private anomaly(): ExchangeDocument {
    const own = this.sides.find(({ party }) => party === textOf(this.head, 'receiver'));
    const answers = own ? { messageId: own.messageId, version: own.messageVersion } : null;
    const { sides, unusable } = this;
    return { kind: 'anomaly', ...this.answerHead(), answers, day: this.dayOfHead(), sides, unusable };
  }

  private answerHead() {
    const { head } = this;
    return {
      id: identificationOf(head, 'id'),
      createdAt: createdAt(head),
      sender: textOf(head, 'sender'),
      receiver: textOf(head, 'receiver'),
      answers: this.answeredMessage(),
    };
  }

  /** The message and version that the answer names, else the one of the named file, else the message alone. */
  private answeredMessage(): AnsweredMessage | null {
    const { head } = this;
    const messageId = findText(head, 'answeredId') === null ? null : identificationOf(head, 'answeredId');
    if (messageId !== null && findText(head, 'answeredVersion') !== null)
      return { messageId, version: versionOf(head, 'answeredVersion') };
    const inFile = messageOfFile(this.rules, findText(head, 'payloadName') ?? '');
    return inFile?.version == null && messageId !== null ? { messageId, version: null } : inFile;
  }

  private scheduledSeries(fields: Fields): Series {
    const { outParty, outArea, inParty, inArea, businessType, ...name } = answeredSeries(fields);
    const known = this.reading === 'whole' ? OPERATOR_BUSINESS_TYPES : BUSINESS_TYPES;
    expectOneOf('businessType', businessType, known);
    expectCode('aggregation', fields, CODES.aggregation);
    if (outParty === null || outArea === null || inParty === null || inArea === null) {
      throw new XmlFault({ key: 'document.flow' });
    }
    const { powersKw } = slotValues(groupsOf(fields, 'periods'), this.dayOfHead());
    return {
      ...name,
      businessType: businessType as BusinessType,
      outParty,
      outArea,
      inParty,
      inArea,
      powersKw,
    };
  }

  private confirmedSeries(fields: Fields): ConfirmedSeries {
    const periods = groupsOf(fields, 'periods');
    const reasons = reasonsOf(fields);
    const series = answeredSeries(fields);
    if (periods.length === 0) return { ...series, powersKw: null, reasons, slotReasons: [] };
    return { ...series, ...this.valuesWithReasons(periods), reasons };
  }

  private valuesWithReasons(periods: readonly Fields[]): Pick<ImposedSeries, 'powersKw' | 'slotReasons'> {
    const { powersKw, reasons } = slotValues(periods, this.dayOfHead());
    return {
      powersKw,
      slotReasons: reasons.map(({ slot, reasons }) => ({ slot, reasons: reasons.map(reasonOf) })),
    };
  }

  private imposedSeries(fields: Fields): ImposedSeries {
    const series = answeredSeries(fields);
    const { outParty, outArea, inParty, inArea } = series;
    const flow = [outParty, outArea, inParty, inArea];
    if (!flow.includes(null)) this.rejectDuplicate(`imposed flow ${flow.join(' ')}`);
    return { ...series, ...this.valuesWithReasons(groupsOf(fields, 'periods')), reasons: reasonsOf(fields) };
  }

  private anomalySide(fields: Fields): AnomalySide {
    return {
      ...answeredSeries(fields),
      party: textOf(fields, 'party'),
      messageId: identificationOf(fields, 'messageId'),
      messageVersion: versionOf(fields, 'messageVersion'),
      powersKw: slotValues(groupsOf(fields, 'periods'), this.dayOfHead()).powersKw,
      reasons: reasonsOf(fields),
    };
  }

  private dayOfHead(): DeliveryDay {
    // No series is read before the interval, and the interval is required.
    if (this.day === null) throw new Error('the interval is read before every series');
    return this.day;
  }

  private rejectDuplicate(key: string): void {
    if (this.seen.has(key)) throw new XmlFault({ key: 'document.twice' });
    this.seen.add(key);
  }
}

/** Whether the groups of this field are series; the other groups belong to the head. */
const isSeries = (field: string): boolean => field !== 'reasons' && field !== 'timeErrors';
