/** MongoDB at the workbench. Its statements are commands; the engine itself refuses what could write where only reading is allowed. */
import type { Dialect } from '../thread/dialect.ts';
import { SqlError } from '../thread/sql-client.ts';
import type { BenchTerms } from '../thread/thread-messages.ts';
import { DocumentsFile } from './documents-file.ts';
import { MongoClient } from './mongo-client.ts';
import { mongoLevel } from './mongo-tree.ts';
import { withoutSecrets } from './read-command.ts';

export function mongoDialect({ dbName, dbNames }: BenchTerms): Dialect {
  /** Asked for once: it would be a line in the log for each tab. */
  let version: string | undefined;
  return {
    // A command is one document: nothing ends it but its bracket.
    split: (text) => (text.trim() === '' ? [] : [{ sql: text, from: 0, to: text.length }]),
    async open(connect) {
      const client = await MongoClient.open(connect, { database: dbName, version });
      version = client.version;
      return client;
    },
    begin: '',
    beginReadOnly: undefined,
    whyNotReadOnly: () => undefined,
    whyNotDry: async () => 'MongoDB is asked for nothing that could be taken back here',
    explained() {
      throw new SqlError('bad_request', 'a plan is what the command explain answers: { explain: { find: … } }');
    },
    typeNames: async (_side, columns) => columns.map(({ type }) => type),
    sourceOf: async () => undefined,
    async changes() {
      throw new SqlError('bad_request', 'documents are changed by the commands insert, update and delete');
    },
    level: (side, path, after) => mongoLevel(side, { database: dbName, dbNames }, path, after),
    names: async () => [],
    withoutSecrets,
    file: (outlet, format, stop) => {
      if (format !== 'json')
        throw new SqlError('bad_request', 'documents are written as JSON: each has fields of its own');
      return new DocumentsFile(outlet, stop);
    },
  };
}
