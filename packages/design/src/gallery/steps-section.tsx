/** The step slider, with two flows to switch between. */

import { Button } from '../button.tsx';
import { Card } from '../card.tsx';
import { type Step, StepSlider } from '../step-slider.tsx';
import { TextField } from '../text-field.tsx';
import { TextButton } from '../text-link.tsx';
import styles from './gallery.module.css';
import { Section } from './section.tsx';

const PASSWORD: readonly Step[] = [
  {
    id: 'name',
    label: 'User name',
    view: ({ next, switchFlow }) => (
      <div className={styles.stack}>
        <TextField label="User name" defaultValue="maya" />
        <div className={styles.row}>
          <Button tone="primary" onClick={next}>
            Next
          </Button>
          <TextButton onClick={() => switchFlow('passkey')}>Use a passkey instead</TextButton>
        </div>
      </div>
    ),
  },
  {
    id: 'code',
    label: 'Code',
    view: ({ previous }) => (
      <div className={styles.stack}>
        <TextField label="Code from your authenticator" inputMode="numeric" mono />
        <div className={styles.row}>
          <Button tone="primary">Sign in</Button>
          <Button tone="ghost" onClick={previous}>
            Back
          </Button>
        </div>
      </div>
    ),
  },
];

const PASSKEY: readonly Step[] = [
  {
    id: 'touch',
    label: 'Passkey',
    view: ({ switchFlow }) => (
      <div className={styles.stack}>
        <p className={styles.muted}>Touch your key, or confirm on your phone.</p>
        <div className={styles.row}>
          <Button onClick={() => switchFlow('password')}>Use a password instead</Button>
        </div>
      </div>
    ),
  },
];

export function StepsSection() {
  return (
    <Section id="steps" title="Step slider" rule="500 ms; focus goes with it; the steps out of sight are inert.">
      <div className={styles.narrow}>
        <Card>
          <StepSlider flows={{ password: PASSWORD, passkey: PASSKEY }} initialFlow="password" />
        </Card>
      </div>
    </Section>
  );
}
