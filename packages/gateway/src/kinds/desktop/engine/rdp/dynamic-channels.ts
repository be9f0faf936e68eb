/** Channels that are opened while a session runs. Only display control may: whatever else the host offers is declined here, and no page hears of it. */
import { type DesktopSize, malformed } from '../desktop-link.ts';
import { FieldReader } from '../field-reader.ts';

const DISPLAY_CONTROL = 'Microsoft::Windows::RDS::DisplayControl';
const COMMAND = { create: 1, dataFirst: 2, data: 3, close: 4, capabilities: 5 } as const;
const ID_BYTES: readonly number[] = [1, 2, 4];
const MAX_NAME_BYTES = 256;
/** One monitor, as it should be from now on. */
const LAYOUT = 2;
const LAYOUT_BYTES = 56;
const MONITOR_BYTES = 40;
const PRIMARY = 1;
/** Declined, as an HRESULT. */
const DECLINED = 0x80004005;
/** The layout of one monitor, with room for those that come. */
export const MAX_DYNAMIC_BYTES = 4_096;

export interface DynamicAnswer {
  toPage?: Buffer;
  toHost?: Buffer;
}

interface DynamicHead {
  command: number;
  idBytes: number;
  id: number;
  rest: FieldReader;
}

export class DynamicChannels {
  /** Of display control, once the host has offered it. */
  #open: number | undefined;
  /** As the host said them, for a page that comes later: what it can, its offer, what it said first. */
  #capabilities: Buffer | undefined;
  #offer: Buffer | undefined;
  #first: Buffer | undefined;
  /** What the host waits for. Of a page that comes later it has heard it before. */
  readonly #unanswered = new Set<number>();
  /** How it is written in front of a message to it. */
  #head: Buffer | undefined;

  /** Gives what goes on of a message of the host, and what is answered instead. */
  fromHost(message: Buffer): DynamicAnswer {
    const head = readHead(message, 'a message of a dynamic channel');
    if (head.command === COMMAND.capabilities) {
      this.#capabilities = message;
      this.#unanswered.add(head.command);
      return { toPage: message };
    }
    if (head.command === COMMAND.create) return this.#create(message, head);
    if (head.id !== this.#open) return {};
    if (head.command === COMMAND.close) this.#open = undefined;
    if (head.command === COMMAND.data) this.#first ??= message;
    return [COMMAND.dataFirst, COMMAND.data, COMMAND.close].some((each) => each === head.command)
      ? { toPage: message }
      : {};
  }

  /** What goes on of a message of the page: another size only of one that may type. */
  fromPage(message: Buffer, mayType: boolean): Buffer | undefined {
    const head = readHead(message, 'a message of a dynamic channel');
    if (head.command === COMMAND.data) return mayType && head.id === this.#open ? message : undefined;
    const isItsOwn = head.command === COMMAND.capabilities || head.id === this.#open;
    return isItsOwn && this.#unanswered.delete(head.command) ? message : undefined;
  }

  /** For a page that comes later: as the host said it, and what is answered to it goes no further. */
  again(): Buffer[] {
    const offer = this.#open === undefined ? [] : [this.#offer, this.#first];
    return [this.#capabilities, ...offer].filter((each) => each !== undefined);
  }

  /** Asks the host for another size, in its own words. Undefined: it takes no such wishes. */
  layout({ width, height, scale }: DesktopSize & { scale: number }): Buffer | undefined {
    if (this.#open === undefined || !this.#head) return undefined;
    const fields = [LAYOUT, LAYOUT_BYTES, MONITOR_BYTES, 1, PRIMARY, 0, 0, width & ~1, height, 0, 0, 0, scale, 100];
    const body = Buffer.alloc(LAYOUT_BYTES);
    for (const [index, field] of fields.entries()) body.writeUInt32LE(field, index * 4);
    return Buffer.concat([this.#head, body]);
  }

  #create(message: Buffer, { id, idBytes, rest }: DynamicHead): DynamicAnswer {
    const name = rest.rest();
    const end = name.indexOf(0);
    if (end < 0 || end > MAX_NAME_BYTES) throw malformed('a dynamic channel has no name');
    if (name.toString('latin1', 0, end) === DISPLAY_CONTROL) {
      this.#open = id;
      this.#offer = message;
      this.#first = undefined;
      this.#unanswered.add(COMMAND.create);
      const head = Buffer.of((COMMAND.data << 4) | ID_BYTES.indexOf(idBytes));
      this.#head = Buffer.concat([head, message.subarray(1, 1 + idBytes)]);
      return { toPage: message };
    }
    const status = Buffer.alloc(4);
    status.writeUInt32LE(DECLINED);
    const head = Buffer.of((COMMAND.create << 4) | ID_BYTES.indexOf(idBytes));
    return { toHost: Buffer.concat([head, message.subarray(1, 1 + idBytes), status]) };
  }
}

/** Whether it asks the host for another size. */
export function isWish(message: Buffer): boolean {
  return (message[0] ?? 0) >> 4 === COMMAND.data;
}

function readHead(message: Buffer, what: string): DynamicHead {
  const rest = new FieldReader(message, what);
  const first = rest.u8();
  const command = first >> 4;
  const idBytes = ID_BYTES[first & 3] ?? 0;
  if (command === COMMAND.capabilities) return { command, idBytes: 0, id: -1, rest };
  if (idBytes === 0) throw malformed('a dynamic channel has no number');
  return { command, idBytes, id: rest.take(idBytes).readUIntLE(0, idBytes), rest };
}
