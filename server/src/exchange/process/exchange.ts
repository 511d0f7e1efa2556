import type { Tso } from '@saldo/api';
import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import type { MessageFormat, WaitPhase } from '@saldo/core/enums.ts';
import type { Message } from '@saldo/core/messages/message.ts';
import type { RemoteTransport, Transport } from '../transport/transport.ts';
import type { Scheduler } from './schedules.ts';

/** Settings of the exchange with the TSOs. */
export type Exchange = Scheduler & {
  readonly formats: Readonly<Record<Tso, MessageFormat>>;
  readonly waitPhases: Readonly<Record<Tso, WaitPhase>>;
  /** Null in a process without the folders of the exchange: a process that has them delivers the stored messages. */
  readonly transport: Transport | null;
  /** TSOs with a transport of their own. `exchangeRemotely` delivers to them, so that a slow server delays no others. */
  readonly remote: Readonly<Partial<Record<Tso, RemoteTransport>>>;
};

/** Restricts an explicit request to a day or TSO. Without a request, the job sends the schedules that are due. */
export type SendRequest = { readonly day: DeliveryDay | null; readonly tso: Tso | null };

export type SendFault = { day: DeliveryDay; tso: Tso; error: Message; isNews: boolean };

/** Messages that a run stored or sent, and schedules that it could not send. */
export type SendRun = { messageIds: string[]; faults: SendFault[] };
