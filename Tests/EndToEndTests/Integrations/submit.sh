#!/bin/sh
# submit.sh FILE USER ID: submits one capture; exits with 0 once it is stored.
sum=$(sha256sum <"$1") || exit 1
for pause in 1 1 2 5 10; do
    answer=$(curl --silent --show-error --fail-with-body --max-time 60 --retry 5 \
        --unix-socket "${HOMING_SOCKET:-/run/homing/homing.sock}" --header 'Content-Type: application/json' --data-binary @"$1" \
        "http://homing/v1/entries?backend=breathesafe&route=measurement&item.user_id=$2&id=$3")
    code=$?
    printf '%s\n' "$answer"
    case $code,$answer in
        0,*'"duplicate":true'*'"warning"'*) exit 1 ;; # a person is discarding the entry with this id
        0,*'"sha256":"'"${sum%% *}"'"'*) exit 0 ;;
        0,*) echo "Homing accepted other bytes than those of $1. Keep the capture, and tell a person." >&2; exit 1 ;;
        22,*) exit 1 ;; # the daemon refused it: a person must read why
        3,*) echo "The user ‘$2’ or the id ‘$3’ cannot be part of a URL. Keep the capture, and correct them." >&2; exit 1 ;;
    esac
    sleep "$pause"          # the daemon is not running: try again, under the same id
done
exit 1
