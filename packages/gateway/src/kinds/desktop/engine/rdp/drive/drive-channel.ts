/** The channel of drives, spoken by the gateway itself: no page hears of it. Greets the host, offers what is shared, and passes on what the host asks of it. */
import type { FolderShare } from '../../shared-folder.ts';
import type { ChannelMessage } from '../static-channel.ts';
import { Drive, emptyBody } from './drive.ts';
import {
  clientCapabilities,
  clientName,
  completion,
  DRIVE,
  type DriveRequest,
  deviceAnnounce,
  deviceRemove,
  driveMessage,
  MAJOR,
  readDriveHead,
  readDriveRequest,
  STATUS,
  tellsLoggedOn,
  u16s,
  u32s,
} from './drive-messages.ts';
import { shortDriveName } from './drive-names.ts';

/** A piece to be written, with what stands before it. */
export const MAX_DRIVE_MESSAGE_BYTES = 1024 * 1024 + 4_096;
/** Asked and not answered. Windows asks a few at a time. */
const MAX_PENDING = 64;
/** Of what is still to be written. */
const MAX_PENDING_BYTES = 8 * 1024 * 1024;
const MAX_READS = 4;
const MAJOR_VERSION = 1;
const MAX_MINOR_VERSION = 12;
const NAME = 'gatehouse';

export interface DriveSinks {
  send(message: Buffer): void;
  /** Undefined: the host has taken what it was sent. */
  drained(): Promise<void> | undefined;
  /** A mistake of ours. */
  failed(error: unknown): void;
}

interface Offered {
  drive: Drive;
  /** The host has answered whether it takes it. */
  isAnswered: boolean;
  /** What the host waits for. */
  asked: Set<DriveRequest>;
}

export class DriveChannel {
  readonly #sinks: DriveSinks;
  readonly #drives = new Map<number, Offered>();
  #lastDevice = 0;
  #minor = MAX_MINOR_VERSION;
  #waitsForUser = false;
  #hasUser = false;
  #isConfirmed = false;
  #pending = 0;
  #pendingBytes = 0;
  #reading = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(sinks: DriveSinks) {
    this.#sinks = sinks;
  }

  /** Drives are taken by now. */
  get isReady(): boolean {
    return this.#isConfirmed && (this.#hasUser || !this.#waitsForUser);
  }

  /** Gives what takes it away again. */
  add(share: FolderShare): () => void {
    this.#lastDevice += 1;
    const device = this.#lastDevice;
    this.#drives.set(device, { drive: new Drive(share), isAnswered: false, asked: new Set() });
    if (this.isReady) this.#offer(device, share);
    return () => this.#takeAway(device);
  }

  /** What it waits for is answered first: programs of some hosts would wait for as long as these run. */
  #takeAway(device: number): void {
    const offered = this.#drives.get(device);
    if (!offered) return;
    this.#drives.delete(device);
    for (const request of offered.asked) this.#refuse(request, STATUS.disconnected);
    offered.asked.clear();
    if (this.isReady) this.#sinks.send(deviceRemove(device));
  }

  hear({ length, bytes }: ChannelMessage): void {
    const head = readDriveHead(bytes);
    if (!head) return;
    const { type, fields } = head;
    if (type === DRIVE.request) this.#request(readDriveRequest(fields), length, length === bytes.length);
    // Nothing else is ever as long.
    else if (length !== bytes.length) return;
    else if (type === DRIVE.hostAnnounce) {
      fields.skip(2);
      this.#greeted(fields.u16(), fields.u32());
    } else if (type === DRIVE.hostCapabilities) {
      this.#waitsForUser = tellsLoggedOn(fields);
      this.#sinks.send(clientCapabilities(this.#minor));
    } else if (type === DRIVE.clientId) this.#progress({ isConfirmed: true, hasUser: this.#hasUser });
    else if (type === DRIVE.loggedOn) this.#progress({ isConfirmed: this.#isConfirmed, hasUser: true });
    else if (type === DRIVE.deviceReply) this.#replied(fields.u32(), fields.u32());
  }

  /** It may begin anew, when somebody else signs in: all that it had open is closed with it. */
  #greeted(minor: number, id: number): void {
    this.#isConfirmed = false;
    this.#hasUser = false;
    this.#waitsForUser = false;
    this.#minor = Math.min(minor, MAX_MINOR_VERSION);
    for (const [device, { drive, isAnswered }] of this.#drives)
      this.#drives.set(device, { drive: new Drive(drive.share), isAnswered, asked: new Set() });
    this.#sinks.send(driveMessage(DRIVE.clientId, u16s(MAJOR_VERSION, this.#minor), u32s(id)));
    this.#sinks.send(clientName(NAME));
  }

  #progress({ isConfirmed, hasUser }: { isConfirmed: boolean; hasUser: boolean }): void {
    const before = this.isReady;
    this.#isConfirmed = isConfirmed;
    this.#hasUser = hasUser;
    if (before || !this.isReady) return;
    for (const [device, { drive }] of this.#drives) this.#offer(device, drive.share);
  }

  #offer(device: number, { name }: FolderShare): void {
    this.#sinks.send(deviceAnnounce(device, shortDriveName(name), name));
  }

  #replied(device: number, status: number): void {
    const offered = this.#drives.get(device);
    if (!offered || offered.isAnswered) return;
    offered.isAnswered = true;
    offered.drive.share.onTaken(status === STATUS.ok);
  }

  #request(request: DriveRequest, length: number, isWhole: boolean): void {
    const offered = this.#drives.get(request.device);
    if (!offered) this.#refuse(request, STATUS.disconnected);
    else if (!isWhole) this.#refuse(request, STATUS.invalidParameter);
    else if (this.#pending >= MAX_PENDING || this.#pendingBytes + length > MAX_PENDING_BYTES)
      this.#refuse(request, STATUS.noResources);
    else void this.#serve(offered, request, length).catch((error: unknown) => this.#sinks.failed(error));
  }

  #refuse(request: DriveRequest, status: number): void {
    this.#sinks.send(completion(request, status, emptyBody(request.major)));
  }

  async #serve({ drive, asked }: Offered, request: DriveRequest, length: number): Promise<void> {
    this.#pending += 1;
    this.#pendingBytes += length;
    asked.add(request);
    let isReading = false;
    try {
      const { status, body } = await drive.answer(request, async () => {
        if (request.major !== MAJOR.read) return;
        await this.#readingTurn();
        isReading = true;
      });
      // Taken away meanwhile, it was answered then; begun anew, the host waits for nothing.
      if (asked.has(request) && this.#drives.get(request.device)?.drive === drive)
        this.#sinks.send(completion(request, status, body));
    } finally {
      asked.delete(request);
      this.#pending -= 1;
      this.#pendingBytes -= length;
      if (isReading) this.#readingOver();
    }
  }

  /** A few at a time, and not before the host has taken what it asked for: its questions are short, and the answers to them are not. */
  async #readingTurn(): Promise<void> {
    if (this.#reading >= MAX_READS) await new Promise<void>((go) => this.#waiting.push(go));
    else this.#reading += 1;
    for (let drained = this.#sinks.drained(); drained; drained = this.#sinks.drained()) await drained;
  }

  #readingOver(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#reading -= 1;
  }
}
