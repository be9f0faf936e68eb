/** A trust with its map ready to be asked. */
import type { Db } from '../../../platform/storage/tables.ts';
import { compileRoleMap, givenByMap, type MapRoles } from '../map/role-map.ts';
import { listTrusts, type StoredTrust } from '../stores/trusted-cluster-store.ts';
import { readStoredTrust } from './trust-document.ts';

export interface KnownTrust extends StoredTrust {
  map: MapRoles;
  /** All that the map can give. Asked for with every call: to read the document anew costs more than the rest of it. */
  given: ReturnType<typeof givenByMap>;
  /** Traits that were asked for by name. */
  traits: readonly string[];
  /** Of the certificate the root must show. */
  pin: string | undefined;
}

export function knownTrust(trust: StoredTrust): KnownTrust {
  const { role_map, traits = [], ca_pin: pin } = readStoredTrust(trust.content).spec;
  return { ...trust, map: compileRoleMap(role_map), given: givenByMap(role_map), traits, pin };
}

/** Held by whoever maps roles and writes down what came of it: otherwise what an older map gave could be written last. */
export function mapLock(trust: string): string {
  return `role map of ${trust}`;
}

export async function listKnownTrusts(db: Db): Promise<KnownTrust[]> {
  return (await listTrusts(db)).map(knownTrust);
}
