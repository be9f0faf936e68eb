/** Chance for spreading things out in time. From the unpredictable generator, so that no other is ever at hand by mistake. */
import { randomInt } from 'node:crypto';

const STEPS = 2 ** 32;

/** At least 0 and below 1. */
export function randomFraction(): number {
  return randomInt(STEPS) / STEPS;
}
