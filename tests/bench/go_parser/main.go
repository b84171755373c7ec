// Reads one binlog file with go-mysql's parser, rows decoded to values, and prints
// "row images, seconds on the clock, seconds of CPU time".
package main

import (
	"bufio"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/go-mysql-org/go-mysql/mysql"
	"github.com/go-mysql-org/go-mysql/replication"
)

const buffer = 1 << 18

func cpuSeconds() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	seconds := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
	return seconds(usage.Utime) + seconds(usage.Stime)
}

func parse(flavor string, name string) (images int, err error) {
	file, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	reader := bufio.NewReaderSize(file, buffer) // its ParseFile reads unbuffered, which is slower
	if _, err = reader.Discard(len(replication.BinLogFileHeader)); err != nil {
		return 0, err
	}
	parser := replication.NewBinlogParser()
	parser.SetFlavor(flavor)
	parser.SetVerifyChecksum(true)
	err = parser.ParseReader(reader, func(event *replication.BinlogEvent) error {
		if rows, ok := event.Event.(*replication.RowsEvent); ok {
			images += len(rows.Rows)
		}
		return nil
	})
	return images, err
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: go_parser", mysql.MySQLFlavor+"|"+mysql.MariaDBFlavor, "FILE")
		os.Exit(2)
	}
	began, cpu := time.Now(), cpuSeconds()
	images, err := parse(os.Args[1], os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(images, time.Since(began).Seconds(), cpuSeconds()-cpu)
}
