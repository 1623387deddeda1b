export { type BackupReport, backUp, type Progress } from './backup.ts';
export { moveDatabase, type RestoreReport, restore } from './restore.ts';
