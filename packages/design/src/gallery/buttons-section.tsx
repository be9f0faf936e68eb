/** Buttons and icon buttons in every tone, size and state. */

import Bell from 'lucide-react/icons/bell';
import Copy from 'lucide-react/icons/copy';
import Download from 'lucide-react/icons/download';
import FingerprintPattern from 'lucide-react/icons/fingerprint-pattern';
import Folder from 'lucide-react/icons/folder';
import Plus from 'lucide-react/icons/plus';
import Search from 'lucide-react/icons/search';
import Settings from 'lucide-react/icons/settings';
import { useState } from 'react';
import { Button, type ButtonTone } from '../button.tsx';
import { ButtonLink } from '../button-link.tsx';
import { Divider } from '../divider.tsx';
import { IconButton } from '../icon-button.tsx';
import { Menu, MenuItem } from '../menu.tsx';
import { SplitArrow, SplitButton } from '../split-button.tsx';
import styles from './gallery.module.css';
import { Section } from './section.tsx';

const TONES: readonly ButtonTone[] = ['primary', 'secondary', 'ghost', 'danger', 'danger-solid'];
const SHOWN = ['rest', 'hover', 'press', 'focus'] as const;

export function ButtonsSection() {
  const [saving, setSaving] = useState(false);
  const [files, setFiles] = useState(true);
  const save = () => {
    setSaving(true);
    setTimeout(() => setSaving(false), 1500);
  };
  return (
    <Section id="buttons" title="Buttons" rule="24, 32 and 40 px. One primary on a screen.">
      <div className={styles.scroll}>
        <table className={styles.states}>
          <caption hidden>Tones by state</caption>
          <thead>
            <tr>
              <td />
              {['Rest', 'Hover', 'Press', 'Focus', 'Disabled', 'Loading'].map((state) => (
                <th key={state} scope="col">
                  {state}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {TONES.map((tone) => (
              <tr key={tone}>
                <th scope="row">{tone}</th>
                {SHOWN.map((state) => (
                  <td key={state}>
                    <Button tone={tone} data-show={state}>
                      Save role
                    </Button>
                  </td>
                ))}
                <td>
                  <Button tone={tone} disabled disabledReason="Change something first.">
                    Save role
                  </Button>
                </td>
                <td>
                  <Button tone={tone} loading loadingWord="Saving">
                    Save role
                  </Button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div className={styles.row}>
        <Button tone="primary" size="small">
          Small 24
        </Button>
        <Button tone="primary">Medium 32</Button>
        <Button tone="primary" size="large">
          Large 40
        </Button>
        <Divider direction="vertical" />
        <Button size="small" icon={Copy}>
          Copy
        </Button>
        <Button icon={Download}>Export</Button>
        <Button size="large" icon={FingerprintPattern}>
          Use a passkey
        </Button>
        <ButtonLink href="#buttons" icon={Plus} tone="primary">
          A link
        </ButtonLink>
        <Divider direction="vertical" />
        <Button tone="primary" loading={saving} loadingWord="Saving" onClick={save}>
          Save, try it
        </Button>
        <Button icon={Download} loading={saving}>
          Icon gives way
        </Button>
        <SplitButton
          more={
            <Menu trigger={<SplitArrow label="Choose a login" />}>
              <MenuItem>deploy</MenuItem>
              <MenuItem>ubuntu</MenuItem>
            </Menu>
          }
        >
          Connect
        </SplitButton>
      </div>
      <div className={styles.row}>
        <IconButton icon={Copy} size="small" label="Copy, 24 px" />
        <IconButton icon={Bell} label="Alerts, 32 px" />
        <IconButton icon={Settings} size="large" label="Settings, 48 px" />
        <Divider direction="vertical" />
        <IconButton icon={Search} label="Hovered" data-show="hover" />
        <IconButton icon={Search} label="Pressed down" data-show="press" />
        <IconButton icon={Search} label="Focused" data-show="focus" />
        <IconButton icon={Folder} label="Files" pressed={files} onClick={() => setFiles(!files)} />
        <IconButton icon={Search} label="Disabled" disabled disabledReason="Nothing to search yet." />
        <IconButton icon={Bell} label="Alerts, 2 new" count={2} />
        <IconButton icon={Bell} size="large" label="Alerts, 2 new, 48 px" count={2} />
        <span className={styles.faint}>24, 32, 48; hover, press, focus, toggle, disabled, with a count</span>
      </div>
    </Section>
  );
}
