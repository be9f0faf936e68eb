/** A connection of a program, as it came to the door. */
import type { Duplex } from 'node:stream';
import type { DoorChannel } from './door-channel.ts';
import type { OpenChannels } from './open-channels.ts';
import type { Person } from './prove-person.ts';

export interface Arrived {
  stream: Duplex & { bytesRead?: number; bytesWritten?: number };
  address: string;
  /** By which it was dialled, as far as is known. */
  names: readonly string[];
  /** Came through a connection that has proved who it is, and named the server that it wants. `asksFactor`: that one gave no second factor, where a role wants one. */
  within?: { person: Person; host: string; fronts: Set<DoorChannel>; channels?: OpenChannels; asksFactor?: boolean };
  /** Somebody is known: it counts no longer among those that nobody knows. */
  onProved(): void;
}
