// Loaded by `--import` into a process that must not outlive the one that started it, even if that is killed.
import { isMainThread } from 'node:worker_threads';
import { stopWhenOrphaned } from './orphan.mjs';

if (isMainThread) stopWhenOrphaned();
