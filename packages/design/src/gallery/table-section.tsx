/** The table with rows, while loading, and empty. */

import SearchX from 'lucide-react/icons/search-x';
import { useState } from 'react';
import { Button } from '../button.tsx';
import { EmptyState } from '../empty-state.tsx';
import { type Label, LabelChips } from '../label-chips.tsx';
import { Menu, MenuHeading, MenuItem } from '../menu.tsx';
import { SplitArrow, SplitButton } from '../split-button.tsx';
import { type DotState, StatusDot } from '../status-dot.tsx';
import { Table } from '../table.tsx';
import { TableFoot } from '../table-foot.tsx';
import type { Column, Sort } from '../table-head.tsx';
import { type RowSource, VirtualTable } from '../virtual-table.tsx';
import styles from './gallery.module.css';
import { Section } from './section.tsx';

interface Row {
  name: string;
  address: string;
  labels: readonly Label[];
  state: DotState;
  word: string;
  used: string;
  sessions: number;
}

function labels(text: string): Label[] {
  return text.split(' ').map((pair) => {
    const [name = '', value = ''] = pair.split('=');
    return { name, value };
  });
}

const ROWS: readonly Row[] = [
  {
    name: 'bastion-01',
    address: '10.20.0.4:22',
    labels: labels('env=prod role=bastion region=eu-west-1'),
    state: 'ok',
    word: 'Online',
    used: '2 min ago',
    sessions: 4,
  },
  {
    name: 'cache-01',
    address: '10.20.4.31:22',
    labels: labels('env=prod role=redis region=eu-west-1 team=core'),
    state: 'ok',
    word: 'Online',
    used: 'yesterday',
    sessions: 0,
  },
  {
    name: 'edge-fra-02',
    address: '10.20.7.2:22',
    labels: labels('env=prod role=nginx region=eu-central-1'),
    state: 'warn',
    word: 'Draining',
    used: '41 min ago',
    sessions: 12,
  },
  {
    name: 'ledger-01',
    address: '10.20.8.10:22',
    labels: labels('env=prod role=ledger tier=restricted region=eu-west-1 team=finance'),
    state: 'ok',
    word: 'Online',
    used: '6 days ago',
    sessions: 1,
  },
  {
    name: 'payments-api-03',
    address: '10.20.6.13:22',
    labels: labels('env=prod role=payments region=eu-west-1 team=pay zone=c'),
    state: 'bad',
    word: 'Unreachable',
    used: 'yesterday',
    sessions: 0,
  },
];

const COLUMNS: readonly Column<Row>[] = [
  { id: 'name', title: 'Hostname', cell: (row) => row.name, sortKey: 'name', width: '18%' },
  { id: 'address', title: 'Address', cell: (row) => row.address, mono: true, width: '14%', card: 'subtitle' },
  {
    id: 'labels',
    title: 'Labels',
    cell: (row) => <LabelChips labels={row.labels} onPick={() => {}} />,
    overflow: 'visible',
    card: 'wide',
  },
  {
    id: 'state',
    title: 'Status',
    cell: (row) => <StatusDot state={row.state}>{row.word}</StatusDot>,
    sortKey: 'state',
    width: '12%',
    card: 'end',
  },
  { id: 'used', title: 'Last used', cell: (row) => row.used, sortKey: 'used', width: '11%', card: 'start' },
  {
    id: 'sessions',
    title: 'Sessions',
    cell: (row) => row.sessions,
    sortKey: 'sessions',
    align: 'end',
    width: '88px',
    card: 'none',
  },
  {
    id: 'connect',
    title: 'Connect',
    titleHidden: true,
    align: 'end',
    width: '150px',
    overflow: 'visible',
    card: 'action',
    cell: (row) => (
      <SplitButton
        disabled={row.state === 'bad'}
        more={
          <Menu trigger={<SplitArrow label={`Choose a login for ${row.name}`} disabled={row.state === 'bad'} />}>
            <MenuHeading>Connect as</MenuHeading>
            <MenuItem hint="12 min ago">deploy</MenuItem>
            <MenuItem>ubuntu</MenuItem>
          </Menu>
        }
      >
        Connect
      </SplitButton>
    ),
  },
];

/** Every seventh has not come yet. */
const MANY: RowSource<Row> = {
  list: 'many',
  count: 10_000,
  rowAt: (index) => {
    const row = ROWS[index % ROWS.length];
    return row && index % 7 !== 6 ? { ...row, name: `${row.name}-${index}` } : undefined;
  },
  indexOf: (key) => Number(key.split('-').at(-1)),
};

export function TableSection() {
  const [sort, setSort] = useState<Sort>({ key: 'name', direction: 'asc' });
  const [current, setCurrent] = useState('ledger-01');
  const rows = ROWS.toSorted((a, b) => a.name.localeCompare(b.name) * (sort.direction === 'asc' ? 1 : -1));
  return (
    <Section
      id="table"
      title="Tables"
      rule="Sticky head, sorting, keys J and K, Enter opens. The row with details beside it is purple. Cards under 720 px."
    >
      <div className={styles.framed}>
        <Table
          label="Servers"
          columns={COLUMNS}
          rows={rows}
          rowKey={(row) => row.name}
          sort={sort}
          onSortChange={setSort}
          isCurrent={(row) => row.name === current}
          rowHref={(row) => `#${row.name}`}
          onOpenRow={(row) => setCurrent(row.name)}
        />
        <TableFoot
          keys={[
            { keys: ['J', 'K'], word: 'move' },
            { keys: ['↵'], word: 'details' },
          ]}
        >
          1–5 of 5
        </TableFoot>
      </div>
      <div className={styles.framed}>
        <VirtualTable
          label="Many servers"
          columns={COLUMNS.slice(0, 3)}
          source={MANY}
          rowKey={(row) => row.name}
          onRange={() => {}}
          onOpenRow={(row) => setCurrent(row.name)}
          isCurrent={(row) => row.name === current}
        />
      </div>
      <div className={styles.framed}>
        <Table
          label="Servers, loading"
          columns={COLUMNS}
          rows={[]}
          rowKey={(row) => row.name}
          loading
          skeletonRows={3}
        />
      </div>
      <div className={styles.framed}>
        <Table
          label="Servers, none"
          columns={COLUMNS}
          rows={[]}
          rowKey={(row) => row.name}
          empty={
            <EmptyState
              icon={SearchX}
              level={3}
              title="Nothing matches “paymnets”"
              actions={<Button>Clear filter</Button>}
            >
              148 servers are hidden by this filter.
            </EmptyState>
          }
        />
      </div>
    </Section>
  );
}
