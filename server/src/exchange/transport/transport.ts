import type { Message, Tso } from '@saldo/api';
import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import { formatMessage, type Message as Text } from '@saldo/core/messages/message.ts';

/** A message with the exact bytes of its document. */
export type OutgoingMessage = {
  readonly id: string;
  readonly type: Message['type'];
  readonly tso: Tso;
  readonly day: DeliveryDay;
  readonly version: number | null;
  readonly fileName: string;
  readonly document: Buffer;
};

/** Delivers messages to the outside. Must be idempotent: a crash can cause a second delivery of the same message. */
export type Transport = {
  /** Resolves when the message is stored durably at the destination; otherwise throws HandoverFailed. */
  deliver(message: OutgoingMessage): Promise<void>;
};

/** A transport over the network, which may be slow or unreachable. */
export type RemoteTransport = {
  /** `delivered`: the server has confirmed the complete file. `sent`: the file has left, but was not confirmed. */
  deliver(message: OutgoingMessage): Promise<'sent' | 'delivered'>;
  readonly inbox: Inbox;
  /** Ends the connection. The next use opens another one. */
  close(): void;
};

/** Source of incoming messages. */
export type Inbox = {
  /** Lists the files that are complete, oldest first, and each entry that can never be taken. */
  files(): Promise<InboxFile[]>;
};

export type InboxFile = {
  readonly name: string;
  readonly bytes: number;
  /** Null when another process has taken the file meanwhile, or the file has changed since it was listed. */
  read(): Promise<InboxReading | null>;
  /** Identifies this file, and differs for a later file with the same name and content. */
  fingerprint(document: Buffer | null): string;
  /** Removes the file, or leaves it if its document is not stored elsewhere. Call only after the message is stored. */
  finish(isDocumentStored: boolean): Promise<void>;
};

/** The content of an inbox file, or why it cannot be read. */
export type InboxReading = { document: Buffer; error: null } | { document: null; error: Text };

/** The delivery failed. The message stays stored and is retried. */
export class HandoverFailed extends Error {
  override name = 'HandoverFailed';
  readonly fault: Text;

  constructor(fault: Text, options?: ErrorOptions) {
    // For logs, which are in English.
    super(formatMessage(fault, 'en'), options);
    this.fault = fault;
  }
}

/** The destination cannot be reached, so other messages would fail too. */
export class Unreachable extends HandoverFailed {
  override name = 'Unreachable';
}

/** The platform is stopping. The message stays stored, and is delivered after the next start. */
export class TransportClosed extends Error {
  override name = 'TransportClosed';
}
