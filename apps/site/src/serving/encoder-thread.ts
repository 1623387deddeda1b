/** The script of the thread. */
import { runEncoder } from './encoder.ts';

runEncoder();
