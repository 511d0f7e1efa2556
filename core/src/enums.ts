/** Words that rules, database and APIs share. The API package builds its schemas from these lists. */

/** The four German transmission system operators, in the order in which they are listed and bridged. */
export const TSOS = ['DE_AMPRION', 'DE_TENNET', 'DE_TRANSNET_BW', 'DE_50HERTZ'] as const;
export type Tso = (typeof TSOS)[number];

export const CONTRACT_STATUSES = ['pending', 'in_progress', 'completed'] as const;
export type ContractStatus = (typeof CONTRACT_STATUSES)[number];

/** The values of `ppa_type` whose volumes follow from a profile. */
export const PROFILE_KINDS = ['baseload', 'peakload', 'shaped'] as const;
export type ProfileKind = (typeof PROFILE_KINDS)[number];

/** The values of `ppa_type` whose volumes may follow from series. */
export const SOURCE_KINDS = ['forecasted', 'produced', 'consumed', 'indexed'] as const;
export type SourceKind = (typeof SOURCE_KINDS)[number];

/** What a series says about a plant or a customer: what is expected, or what was measured. */
export const SERIES_KINDS = ['forecast', 'meter'] as const;
export type SeriesKind = (typeof SERIES_KINDS)[number];

export const SERIES_OWNERS = ['asset', 'customer'] as const;
export type SeriesOwner = (typeof SERIES_OWNERS)[number];

/** What the values of a series are given in. Power is the average over the interval of its value. */
export const VALUE_UNITS = ['energy_kwh', 'energy_mwh', 'power_kw', 'power_mw'] as const;
export type ValueUnit = (typeof VALUE_UNITS)[number];

export const RESOLUTIONS = ['PT15M', 'PT60M'] as const;
export type Resolution = (typeof RESOLUTIONS)[number];

export const CUSTOMER_STATUSES = ['pending', 'active', 'deactivated'] as const;
export type CustomerStatus = (typeof CUSTOMER_STATUSES)[number];

/** In the order of their codes in a sheet. */
export const TRANSACTION_STATUSES = ['valid', 'invalid', 'superseded'] as const;
export type TransactionStatus = (typeof TRANSACTION_STATUSES)[number];

/** Why a line of an import was rejected. */
export const REJECTION_CODES = [
  'malformed_line',
  'wrong_encoding',
  'line_too_long',
  'unknown_contract',
  'contract_without_volumes',
  'contract_has_source',
  'unknown_series',
  'invalid_date',
  'day_outside_contract',
  'customer_not_active',
  'invalid_slot',
  'wrong_slot_count',
  'invalid_volume',
  'negative_volume',
  'too_many_decimals',
  'volume_too_large',
  'duplicate_slot',
] as const;
export type RejectionCode = (typeof REJECTION_CODES)[number];

/** How the decimals of a CSV file are separated. */
export const DECIMAL_MARKS = ['comma', 'point'] as const;
export type DecimalMark = (typeof DECIMAL_MARKS)[number];

export const NOMINATION_STATUSES = ['pending', 'partial_match', 'match', 'superseded'] as const;
export type NominationStatus = (typeof NOMINATION_STATUSES)[number];

/** From the perspective of the balance group: `out` delivers, `in` receives. */
export const DIRECTIONS = ['out', 'in'] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** Why a nomination version differs from an earlier one. */
export const CAUSE_KINDS = ['created', 'corrected', 'invalidated', 'moved', 'source', 'other'] as const;
export type CauseKind = (typeof CAUSE_KINDS)[number];

/** What a BRP has done with its own side of a nomination version, in this order. */
export const SCHEDULE_STEPS = ['loaded', 'checked', 'submitted'] as const;
export type ScheduleStep = (typeof SCHEDULE_STEPS)[number];

/** ESS 2.3, and IEC 62325-451 (CIM). */
export const MESSAGE_FORMATS = ['ess', 'cim'] as const;
export type MessageFormat = (typeof MESSAGE_FORMATS)[number];

/** Whether changes made between the day-ahead gate and the end of the wait phase are sent at once or at its end. */
export const WAIT_PHASES = ['hold', 'send'] as const;
export type WaitPhase = (typeof WAIT_PHASES)[number];

const DOCUMENT_KINDS = ['schedule', 'acknowledgement', 'confirmation', 'anomaly'] as const;
export type DocumentKind = (typeof DOCUMENT_KINDS)[number];

/** A stored message may be a request for the last answer, or no known document. */
export const MESSAGE_TYPES = [...DOCUMENT_KINDS, 'status_request', 'unknown'] as const;
export type MessageType = (typeof MESSAGE_TYPES)[number];

/** Conditions of the exchange that need an operator. */
export const ALARM_KINDS = [
  'rejected',
  'answer_overdue',
  'unreadable',
  'unsent_before_gate',
  'unknown_series',
  'out_of_balance',
  'confirmation_overdue',
  'final_missing',
  'older_version_confirmed',
  'status_request_rejected',
  'disk',
  'forecast_missing',
  'meter_missing',
] as const;
export type AlarmKind = (typeof ALARM_KINDS)[number];

export const ALARM_SEVERITIES = ['critical', 'warning'] as const;
export type AlarmSeverity = (typeof ALARM_SEVERITIES)[number];

/** Permissions of a user in its party. Each includes those after it. */
export const USER_PERMISSIONS = ['admin', 'member', 'viewer'] as const;
export type UserPermissions = (typeof USER_PERMISSIONS)[number];
