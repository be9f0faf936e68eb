/** A person as two letters; yourself in purple. */

import styles from './avatar.module.css';
import { classNames } from './class-names.ts';

export interface AvatarProps {
  name: string;
  /** 20 or 28 px. */
  size?: 'small' | 'medium';
  self?: boolean;
  /** False where the name stands beside it. */
  labelled?: boolean;
}

/** First letters of the first and last word, or the first two letters of a single one. */
export function initialsOf(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  const [first = '', last] = words.length > 1 ? [words[0], words.at(-1)] : [words[0]];
  const letters = last ? [...first].slice(0, 1).concat([...last].slice(0, 1)) : [...first].slice(0, 2);
  return letters.join('').toUpperCase();
}

export function Avatar({ name, size = 'small', self = false, labelled = false }: AvatarProps) {
  const className = classNames(styles.avatar, size === 'medium' && styles.medium, self && styles.self);
  // Drawn by the style sheet: as text the letters would count as part of the name of a button around them.
  const letters = { className, 'data-initials': initialsOf(name) };
  if (!labelled) return <span {...letters} aria-hidden="true" />;
  return <span {...letters} role="img" aria-label={name} title={name} />;
}
