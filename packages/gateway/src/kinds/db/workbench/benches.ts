/** All workbenches of the thread, by session. */
import type { DbProtocol } from '@gatehouse/contract/kinds/db/db-address';
import { mongoDialect } from './mongodb/mongo-dialect.ts';
import { MYSQL_DIALECT } from './mysql/mysql-dialect.ts';
import { PG_DIALECT } from './postgres/pg-dialect.ts';
import { RedisBench } from './redis/redis-bench.ts';
import { SQLSERVER_DIALECT } from './sqlserver/sqlserver-dialect.ts';
import type { Bench, BenchWire } from './thread/bench.ts';
import { Link } from './thread/link.ts';
import { SqlBench } from './thread/sql-bench.ts';
import type { BenchTerms, FromThread, ToThread } from './thread/thread-messages.ts';

const BENCHES: Readonly<Record<DbProtocol, (wire: BenchWire) => Bench>> = {
  postgres: (wire) => new SqlBench(wire, PG_DIALECT),
  mysql: (wire) => new SqlBench(wire, MYSQL_DIALECT),
  mongodb: (wire) => new SqlBench(wire, mongoDialect(wire.terms)),
  sqlserver: (wire) => new SqlBench(wire, SQLSERVER_DIALECT),
  redis: (wire) => new RedisBench(wire),
};

interface Open {
  bench: Bench;
  links: Map<number, Link>;
}

export function createBenches(post: (message: FromThread, bytes?: Uint8Array) => void) {
  const open = new Map<string, Open>();

  function begin(name: string, terms: BenchTerms): void {
    const links = new Map<number, Link>();
    let last = 0;
    const connect = (approval?: string): Link => {
      last += 1;
      const number = last;
      const about = { bench: name, link: number };
      const link = new Link({
        send: (bytes) => post({ type: 'bytes', ...about, bytes }, bytes),
        took: (count) => post({ type: 'took', ...about, count }),
        hangUp() {
          links.delete(number);
          post({ type: 'hangUp', ...about });
        },
      });
      links.set(number, link);
      post({ type: 'connect', ...about, ...(approval === undefined ? {} : { approval }) });
      return link;
    };
    const bench = BENCHES[terms.protocol]({
      terms,
      connect,
      send: (text) => post({ type: 'tell', bench: name, text }),
      ready: (version) => post({ type: 'ready', bench: name, version }),
      failed: (message) => post({ type: 'failed', bench: name, message }),
      ran: (statement) => post({ type: 'ran', bench: name, statement }),
    });
    open.set(name, { bench, links });
  }

  return {
    hear(message: ToThread): void {
      if (message.type === 'open') {
        begin(message.bench, message.terms);
        return;
      }
      const { bench, links } = open.get(message.bench) ?? {};
      if (message.type === 'hear') bench?.hear(message.request);
      else if (message.type === 'bytes') {
        const { buffer, byteOffset, byteLength } = message.bytes;
        links?.get(message.link)?.hear(Buffer.from(buffer, byteOffset, byteLength));
      } else if (message.type === 'cut') {
        links?.get(message.link)?.cut();
        links?.delete(message.link);
      } else {
        open.delete(message.bench);
        bench?.close();
      }
    },
  };
}
