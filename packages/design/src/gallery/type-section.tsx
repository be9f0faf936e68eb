/** Every size of type, both families. */

import { TextButton, TextLink } from '../text-link.tsx';
import styles from './gallery.module.css';
import { Section } from './section.tsx';

const SIZES = [
  { step: 7, text: 'Add your first server', use: '26/32 first use, login', weight: 500 },
  { step: 6, text: 'Session Recordings', use: '20/28 page title', weight: 500 },
  { step: 5, text: 'Remove payments-api-03?', use: '16/24 dialog title', weight: 500 },
  { step: 4, text: 'People keep it open all day.', use: '14/20 base', weight: 400 },
  { step: 3, text: 'Matches 6 servers now.', use: '13/20 menus, secondary', weight: 400 },
  { step: 2, text: 'Updated 8 s ago', use: '12/16 heads, hints', weight: 400 },
  { step: 1, text: 'Axis label', use: '11/16 key caps, axes', weight: 400 },
];

export function TypeSection() {
  return (
    <Section
      id="type"
      title="Type"
      rule="Ubuntu for words, Ubuntu Sans Mono for ids, addresses and code. Numbers are tabular."
    >
      <div className={styles.types}>
        {SIZES.map(({ step, text, use, weight }) => (
          <p key={step} style={{ fontSize: `var(--fs-${step})`, lineHeight: `var(--lh-${step})`, fontWeight: weight }}>
            {text} <small>{use}</small>
          </p>
        ))}
        <p className={styles.mono}>
          10.20.6.12:22 6b0e9a52-71c4 <small>13/20 mono</small>
        </p>
        <p>
          <span className={styles.light}>Light 300</span>, normal 400, <strong>medium 500</strong>, <em>italic 400</em>,{' '}
          <span style={{ fontWeight: 700 }}>bold 700</span>. Žluťoučký kůň, Καλημέρα, Доброе утро.
        </p>
        <p>
          A <TextLink href="#type">link in text</TextLink> is underlined, and so is an{' '}
          <TextButton>action in text</TextButton>.
        </p>
      </div>
    </Section>
  );
}
