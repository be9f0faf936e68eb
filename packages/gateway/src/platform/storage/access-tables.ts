/** Roles and the inventory of resources as Kysely sees them. */
import type { ColumnType, Generated } from 'kysely';

export interface AccessTables {
  role: RoleTable;
  resource: ResourceTable;
  resource_label: ResourceLabelTable;
  announcement: AnnouncementTable;
  label_set: LabelSetTable;
  label_key: LabelKeyTable;
  access_lock: LockTable;
  denial: DenialTable;
}

interface RoleTable {
  name: string;
  /** What the name looks like: two that look alike cannot both exist. */
  shape: string;
  /** The document as its author wrote it. */
  content: string;
  revision: string;
  created: number;
  updated: number;
  updated_by: string;
}

/** Something people can reach. */
interface ResourceTable {
  seq: ColumnType<number, never, never>;
  cluster: string;
  kind: string;
  id: string;
  name: string;
  labels: string;
  /** Which of the combinations of labels that roles ask about it has. */
  label_set: number;
  spec: string;
  /** What of it is secret. */
  sealed: Generated<string | null>;
  /** The agent that announces it; empty for what was entered by hand. */
  owner: string;
  expires: number | null;
  /** Everything a search looks in, in lower case. */
  search: string;
  /** What a list of its kind can also be sorted by. */
  second_key: Generated<string>;
  third_key: Generated<string>;
  updated: number;
}

/** What an agent said last that it offers. Its resources go with it. */
interface AnnouncementTable {
  owner: string;
  /** The gateway it told. */
  holder: string;
  /** Of everything it offers: what has not changed need not be written. */
  digest: string;
  expires: number;
}

interface ResourceLabelTable {
  resource: number;
  key: string;
  value: string;
}

/** One combination of the labels that roles ask about. Patterns are matched against these and never against resources. */
interface LabelSetTable {
  id: ColumnType<number, never, never>;
  kind: string;
  hash: string;
  labels: string;
}

/** A label name that some role asks about. */
interface LabelKeyTable {
  key: string;
}

/** What may not be used for now. */
interface LockTable {
  id: string;
  target_kind: string;
  target: string;
  message: string;
  created: number;
  created_by: string;
  expires: number | null;
}

/** A call that was refused. */
interface DenialTable {
  id: string;
  time: number;
  expires: number;
  user: string;
  data: string;
}
