/** Tabs, breadcrumbs, the page header and the panel: finding one's way. */

import Plus from 'lucide-react/icons/plus';
import { useState } from 'react';
import { Breadcrumbs } from '../breadcrumbs.tsx';
import { Button } from '../button.tsx';
import { Card } from '../card.tsx';
import { DetailsList } from '../details-list.tsx';
import { Divider } from '../divider.tsx';
import { PageHeader } from '../page-header.tsx';
import { Panel } from '../panel.tsx';
import { TabLinks } from '../tab-links.tsx';
import { TabPanel, Tabs } from '../tabs.tsx';
import styles from './gallery.module.css';
import { Section } from './section.tsx';

export function WaysSection() {
  const [tab, setTab] = useState<'commands' | 'files' | 'people' | 'details'>('commands');
  return (
    <Section id="ways" title="Tabs, headers, panels" rule="Regions meet edge to edge; answers stand beside questions.">
      <Tabs
        label="Recording"
        value={tab}
        onValueChange={setTab}
        tabs={[
          { value: 'commands', label: 'Commands', count: 12 },
          { value: 'files', label: 'Files', count: 2 },
          { value: 'people', label: 'People', count: 2 },
          { value: 'details', label: 'Details', disabled: true },
        ]}
      >
        {(['commands', 'files', 'people'] as const).map((value) => (
          <TabPanel key={value} value={value} className={styles.tabPanel}>
            <p className={styles.muted}>The panel of {value}.</p>
          </TabPanel>
        ))}
      </Tabs>
      <TabLinks
        label="Account"
        links={[
          { href: '#password', label: 'Password', current: false },
          { href: '#ways', label: 'Two-factor devices', count: 2, current: true },
        ]}
      />
      <div className={styles.boxed}>
        <PageHeader
          title="Session Recordings"
          meta="214 in the last 24 hours"
          before={
            <Breadcrumbs label="You are here" crumbs={[{ label: 'prod-eu', href: '#ways' }, { label: 'Activity' }]} />
          }
          actions={
            <Button tone="primary" icon={Plus}>
              Add server
            </Button>
          }
        />
        <div style={{ height: 16 }} />
      </div>
      <div className={styles.two}>
        <Card title="Card" actions={<Button size="small">Edit</Button>}>
          <p className={styles.muted}>For what stands alone.</p>
          <Divider />
          <Divider>or</Divider>
        </Card>
        <Card floating>
          <p className={styles.muted}>A floating card, over a picture.</p>
        </Card>
      </div>
      <div className={styles.panelDemo}>
        <p className={styles.aside}>The table stays in sight.</p>
        <Panel label="Event" title="Session started" onClose={() => {}}>
          <DetailsList
            details={[
              { name: 'Who', value: 'maya' },
              { name: 'Server', value: 'payments-api-02' },
              { name: 'Session', value: '6b0e9a52-71c4-4b8e-9f0a-2d1c7e5a9b10', mono: true },
              { name: 'Time', value: '2026-11-14 14:02:11' },
            ]}
          />
        </Panel>
      </div>
    </Section>
  );
}
