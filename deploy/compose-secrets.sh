#!/bin/sh
# Creates the secrets of compose.yaml in the folder `secrets` next to it. Existing secrets are kept.
set -eu
umask 077
folder="$(cd "$(dirname "$0")" && pwd)/secrets"
mkdir -p "$folder"

# create NAME LENGTH: writes random letters and digits to a file.
create() {
  [ -s "$folder/$1" ] && return
  LC_ALL=C tr -dc 'A-Za-z0-9' < /dev/urandom 2> /dev/null | head -c "$2" > "$folder/$1"
}

create database-password 32
create secret 64
create s3-access-key 20
create s3-secret-key 40
create hosting-token 48
[ -s "$folder/database-url" ] ||
  printf 'postgresql://offprint:%s@postgres:5432/offprint' "$(cat "$folder/database-password")" > "$folder/database-url"
for empty in site-key previews-cert previews-key; do
  [ -e "$folder/$empty" ] || : > "$folder/$empty"
done
# Containers read the files as another user. Other users of this machine cannot access the folder.
chmod 700 "$folder"
chmod 644 "$folder"/*
echo "secrets are in $folder; do not commit them to version control"
