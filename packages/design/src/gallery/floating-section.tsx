/** Menus, popovers, dialogs, toasts and the palette: as pictures, and live behind buttons. */

import Database from 'lucide-react/icons/database';
import Folder from 'lucide-react/icons/folder';
import LogOut from 'lucide-react/icons/log-out';
import Server from 'lucide-react/icons/server';
import Settings from 'lucide-react/icons/settings';
import ShieldCheck from 'lucide-react/icons/shield-check';
import Trash2 from 'lucide-react/icons/trash-2';
import { useState } from 'react';
import { Button } from '../button.tsx';
import { CommandPalette } from '../command-palette.tsx';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import { Dialog, DialogFrame } from '../dialog.tsx';
import { Icon } from '../icon.tsx';
import { KeyCaps } from '../key-cap.tsx';
import menu from '../menu.module.css';
import { Menu, MenuChoice, MenuHeading, MenuItem, MenuSeparator } from '../menu.tsx';
import type { PaletteGroup } from '../palette-groups.ts';
import { Popover } from '../popover.tsx';
import { TextField } from '../text-field.tsx';
import { TextButton } from '../text-link.tsx';
import { useToast } from '../toast.tsx';
import { ToastCard } from '../toast-card.tsx';
import styles from './gallery.module.css';
import { Section } from './section.tsx';

const asked = new URLSearchParams(location.search).get('open');

export function FloatingSection() {
  return (
    <Section
      id="float"
      title="Menu, dialog, toast"
      rule="Only what floats has a shadow. 16 px from the edges, at least."
    >
      <div className={styles.floats}>
        <MenuPicture />
        <div className={styles.dialog}>
          <DialogFrame
            title={<h3 className={styles.dialogTitle}>Remove payments-api-03?</h3>}
            onClose={() => {}}
            footer={
              <>
                <Button>Keep it</Button>
                <Button tone="danger-solid" disabled disabledReason="Type the name first.">
                  Remove server
                </Button>
              </>
            }
          >
            <p>It disappears for everyone. If its agent is still running, it joins again within a minute.</p>
            <TextField label="Type the name to confirm" defaultValue="payments-api-0" data-show="focus" />
          </DialogFrame>
        </div>
        <div className={styles.stack}>
          <ToastCard
            title="Role saved"
            text={
              <>
                11 people are affected. <TextButton>Undo</TextButton>
              </>
            }
            onDismiss={() => {}}
          />
          <ToastCard
            tone="bad"
            title="Could not save db-oncall"
            text={
              <>
                Someone else changed it at 14:02. Your text is kept. <TextButton>Compare</TextButton>
                <br />
                <code className={styles.faint}>id 6b0e9a52</code>
              </>
            }
            onDismiss={() => {}}
          />
          <ToastCard tone="warn" title="The gateway restarts in 2 minutes" onDismiss={() => {}} />
          <ToastCard tone="info" title="3 servers joined" onDismiss={() => {}} />
        </div>
      </div>
      <LiveOnes />
    </Section>
  );
}

/** The look of an open menu; the live one is behind its button. */
function MenuPicture() {
  return (
    <div className={`${menu.menu} ${styles.menu}`}>
      <div className={menu.heading}>Connect as</div>
      <div className={menu.item} data-highlighted="">
        <span className={styles.mono}>deploy</span>
        <span className={menu.hint}>
          12 min ago <KeyCaps keys={['↵']} />
        </span>
      </div>
      <div className={menu.item}>
        <span className={styles.mono}>ubuntu</span>
      </div>
      <div className={menu.item} data-disabled="" aria-disabled="true">
        <span className={styles.mono}>root</span>
        <span className={menu.hint}>not allowed</span>
      </div>
      <div className={menu.separator} />
      <div className={menu.item}>
        <Icon of={Folder} className={menu.icon} />
        Browse files
      </div>
      <div className={`${menu.item} ${menu.danger}`}>
        <Icon of={Trash2} className={menu.icon} />
        Remove server
      </div>
    </div>
  );
}

function LiveOnes() {
  const toaster = useToast();
  const [open, setOpen] = useState(asked);
  const [cluster, setCluster] = useState<'prod-eu' | 'prod-us' | 'staging-us'>('prod-eu');
  const shows = (name: string) => ({
    open: open === name,
    onOpenChange: (next: boolean) => {
      if (next) setOpen(name);
      // What was opened from here may already have taken this one's place.
      else setOpen((now) => (now === name ? null : now));
    },
  });
  return (
    <div className={styles.row}>
      <Menu {...shows('menu')} align="start" trigger={<Button>Menu</Button>}>
        <MenuChoice
          label="Cluster"
          value={cluster}
          onValueChange={setCluster}
          options={[
            { value: 'prod-eu', label: 'prod-eu', hint: '148 servers' },
            { value: 'prod-us', label: 'prod-us', hint: '212 servers' },
            { value: 'staging-us', label: 'staging-us', hint: 'offline 4 min', disabled: true },
          ]}
        />
        <MenuSeparator />
        <MenuHeading>maya, local user</MenuHeading>
        <MenuItem icon={Settings} keys={['G', 'A']}>
          Account Settings
        </MenuItem>
        <MenuItem icon={Trash2} tone="danger" onSelect={() => setOpen('confirm')}>
          Remove server
        </MenuItem>
        <MenuSeparator />
        <MenuItem icon={LogOut} href="#float">
          Sign out
        </MenuItem>
      </Menu>
      <Popover {...shows('popover')} label="Another login" align="start" trigger={<Button>Popover</Button>}>
        <TextField label="Another login" mono placeholder="deploy" />
      </Popover>
      <Button onClick={() => setOpen('dialog')}>Dialog</Button>
      <Dialog
        {...shows('dialog')}
        title="What a dialog does"
        footer={<Button onClick={() => setOpen(null)}>Done</Button>}
      >
        <p>Escape, the backdrop and the cross close it, and the focus goes back to its button.</p>
      </Dialog>
      <Button onClick={() => setOpen('firm')}>Dialog that stays</Button>
      <Dialog
        {...shows('firm')}
        dismissable={false}
        title="Finish or cancel"
        footer={<Button onClick={() => setOpen(null)}>Cancel</Button>}
      >
        <p>Escape and the backdrop do nothing here.</p>
      </Dialog>
      <Button tone="danger" onClick={() => setOpen('confirm')}>
        Confirm by typing
      </Button>
      <ConfirmDialog
        {...shows('confirm')}
        title="Remove payments-api-03?"
        confirmWord="Remove server"
        confirmingWord="Removing"
        cancelWord="Keep it"
        typed={{ text: 'payments-api-03', label: 'Type the name to confirm', reason: 'Type the name first.' }}
        onConfirm={() => setOpen(null)}
      >
        It disappears for everyone. If its agent is still running, it joins again within a minute.
      </ConfirmDialog>
      <Button onClick={() => toaster.show({ title: 'Role saved', text: '11 people are affected.' })}>Toast</Button>
      <Button onClick={() => toaster.show({ tone: 'bad', title: 'Could not save db-oncall' })}>Bad toast</Button>
      <Button onClick={() => setOpen('palette')}>Command palette</Button>
      <Palette {...shows('palette')} />
    </div>
  );
}

const nothing = () => {};
const GROUPS: readonly PaletteGroup[] = [
  {
    id: 'servers',
    title: 'Servers',
    total: 5,
    items: [
      {
        id: 's2',
        icon: Server,
        title: 'payments-api-02',
        detail: '10.20.6.12:22',
        hint: '12 min ago',
        enter: 'Connect as deploy',
        onSelect: nothing,
      },
      {
        id: 's1',
        icon: Server,
        title: 'payments-api-01',
        detail: '10.20.6.11:22',
        hint: '12 min ago',
        enter: 'Connect as deploy',
        onSelect: nothing,
      },
      {
        id: 's4',
        icon: Server,
        title: 'payments-worker-01',
        detail: '10.20.6.40:22',
        hint: '2 hours ago',
        enter: 'Connect as deploy',
        onSelect: nothing,
      },
    ],
  },
  {
    id: 'other',
    title: 'Other resources',
    items: [
      {
        id: 'd1',
        icon: Database,
        title: 'payments-primary',
        detail: 'PostgreSQL, RDS',
        enter: 'Connect',
        onSelect: nothing,
      },
    ],
  },
  {
    id: 'do',
    title: 'Do',
    items: [
      {
        id: 'a1',
        icon: ShieldCheck,
        title: 'Check who can reach payments-api-02',
        detail: 'Access check',
        enter: 'Open',
        onSelect: nothing,
      },
      { id: 'a2', icon: Settings, title: 'Account Settings', enter: 'Open', onSelect: nothing },
    ],
  },
];

function Palette(shown: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const [query, setQuery] = useState('pay');
  return (
    <CommandPalette
      {...shown}
      label="Search or jump to"
      query={query}
      onQueryChange={setQuery}
      groups={GROUPS}
      bestTitle="Best match"
      scope="prod-eu"
      empty="Nothing matches. Try fewer letters."
      keys={[
        { keys: ['↵'], word: 'connect' },
        { keys: ['⌘', '↵'], word: 'open in a split' },
      ]}
      endKeys={[
        { keys: ['>'], word: 'actions' },
        { keys: ['@'], word: 'people' },
      ]}
    />
  );
}
