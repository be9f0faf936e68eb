/** Beside the screen: finding text, what happened when, who was there, the facts. */
import type { RecordingDetails } from '@gatehouse/contract/recordings/recordings';
import { classNames } from '@gatehouse/design/class-names';
import { IconButton } from '@gatehouse/design/icon-button';
import { TabPanel, Tabs } from '@gatehouse/design/tabs';
import X from 'lucide-react/icons/x';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import type { Playback } from '../../engine/playback.ts';
import { isPicture } from '../../renderers.ts';
import { type PlayerActions, type PlayerAddress, SIDE_TABS } from '../player-search-params.ts';
import { Details } from './details.tsx';
import { FindSection } from './find-section.tsx';
import { Moments } from './moments.tsx';
import { People } from './people.tsx';
import styles from './side-panel.module.css';
import type { Find } from './use-find.ts';
import type { Verification } from './use-verification.ts';

interface SidePanelProps {
  address: PlayerAddress;
  actions: PlayerActions;
  playback: Playback;
  details: RecordingDetails;
  find: Find;
  verification: Verification;
}

export function SidePanel(props: SidePanelProps) {
  const { address, actions, playback, details, find, verification } = props;
  const t = useTranslate();
  const counts = { moments: details.markers.length, people: details.users.length, details: undefined };
  return (
    <aside className={classNames(styles.panel, address.panel && styles[address.panel])} aria-label={t('player.panel')}>
      <div className={styles.top}>
        {isPicture(details.kind) ? <span /> : <FindSection text={address.find} find={find} onText={actions.find} />}
        <IconButton
          icon={X}
          className={styles.close}
          label={t('player.hide-panel')}
          onClick={() => actions.openPanel('closed')}
        />
      </div>
      <div className={styles.tabs}>
        <Tabs
          label={t('player.panel')}
          value={address.tab}
          tabs={SIDE_TABS.map((tab) => ({ value: tab, label: t(`player.tab-${tab}`), count: counts[tab] }))}
          onValueChange={actions.showTab}
        >
          <TabPanel value="moments" className={styles.body}>
            <Moments playback={playback} details={details} />
          </TabPanel>
          <TabPanel value="people" className={styles.body}>
            <People details={details} />
          </TabPanel>
          <TabPanel value="details" className={styles.body}>
            <Details details={details} verification={verification} />
          </TabPanel>
        </Tabs>
      </div>
    </aside>
  );
}
