/** Notices, status cards, code and empty states: what the page answers. */

import CirclePlay from 'lucide-react/icons/circle-play';
import MapPinOff from 'lucide-react/icons/map-pin-off';
import SearchX from 'lucide-react/icons/search-x';
import ShieldX from 'lucide-react/icons/shield-x';
import { Button } from '../button.tsx';
import { CodeBlock, CodePiece } from '../code-block.tsx';
import { EmptyState } from '../empty-state.tsx';
import { Notice } from '../notice.tsx';
import { StatusCard } from '../status-card.tsx';
import { TextButton } from '../text-link.tsx';
import styles from './gallery.module.css';
import { Section } from './section.tsx';

const ROLE = 'allow:\n  node_labels:\n    role: [ledger]\n  max_sessions: 4\n';

export function AnswersSection() {
  return (
    <>
      <Section id="notices" title="Notices">
        <div className={styles.two}>
          <Notice announce="none" title="Your session ended">
            after 30 minutes without activity.
          </Notice>
          <Notice announce="none" tone="ok" title="web-01 joined.">
            You can connect now.
          </Notice>
          <Notice announce="none" tone="warn" title="The gateway is restarting." onDismiss={() => {}}>
            This goes away by itself.
          </Notice>
          <Notice announce="none" tone="bad" title="2 of 3 clusters answered.">
            staging-us did not. <TextButton>Try again</TextButton>
          </Notice>
        </div>
      </Section>
      <Section id="status" title="Status cards" rule="540 px wide.">
        <div className={styles.cards}>
          <StatusCard
            level={2}
            tone="bad"
            icon={ShieldX}
            title="Access Denied"
            actions={
              <>
                <Button tone="primary">Ask for access</Button>
                <Button>Go back</Button>
              </>
            }
          >
            You may not see session recordings. It takes a role with <code>list</code> on recordings; yours are
            developer and db-oncall.
          </StatusCard>
          <StatusCard level={2} icon={MapPinOff} title="404 Not Found" actions={<Button>Go to Servers</Button>}>
            The requested path could not be found.
          </StatusCard>
          <StatusCard level={2} tone="warn" title="Internal Error" actions={<Button>Try again</Button>}>
            Cannot read the list of servers.
          </StatusCard>
          <StatusCard level={2} tone="ok" title="Signed in">
            You can close this window and go back to your terminal.
          </StatusCard>
        </div>
      </Section>
      <Section id="code" title="Code">
        <CodeBlock label="Role" code={ROLE}>
          <CodePiece tone="comment">{'# who may reach the ledger\n'}</CodePiece>
          <CodePiece tone="keyword">allow</CodePiece>
          {':\n  '}
          <CodePiece tone="keyword">node_labels</CodePiece>
          {':\n    '}
          <CodePiece tone="keyword">role</CodePiece>
          {': '}
          <CodePiece tone="string">[ledger]</CodePiece>
          {'\n  '}
          <CodePiece tone="keyword">max_sessions</CodePiece>
          {': '}
          <CodePiece tone="number">4</CodePiece>
        </CodeBlock>
      </Section>
      <Section id="empty" title="Empty states" rule="First use teaches; no match offers the way back.">
        <div className={styles.two}>
          <EmptyState
            className={styles.boxed}
            level={3}
            icon={CirclePlay}
            title="No recordings yet"
            actions={<Button tone="primary">Go to Servers</Button>}
          >
            Sessions are recorded from the first connection on. They appear here when they end.
          </EmptyState>
          <EmptyState
            className={styles.boxed}
            level={3}
            icon={SearchX}
            title="Nothing matches “paymnets”"
            actions={<Button>Clear filter</Button>}
          >
            148 servers are hidden by this filter.
          </EmptyState>
        </div>
      </Section>
    </>
  );
}
